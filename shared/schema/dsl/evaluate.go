package dsl

import (
	"context"
	"fmt"
	"slices"

	"github.com/grafana/sobek"

	"svc/shared/schema"
)

// answer is what an evaluation found.
type answer struct {
	found    []Declared // which are not read yet
	issues   []Issue
	warnings []Issue // what the bundler finds suspicious
}

// evaluate bundles and evaluates files, one after the other, and collects what they export. What goes wrong in one file
// leaves the others alone, except where a limit is exceeded.
func evaluate(ctx context.Context, files []source, l limits) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, l.time)
	defer cancel()
	b, faults, warnings, err := bundleFiles(files)
	a := answer{issues: faults, warnings: warnings}
	if err != nil || len(faults) > 0 {
		return a, err
	}
	e, err := newEngine(b)
	if err != nil {
		return a, err
	}
	defer l.watch(ctx, e.vm)()
	c := &collector{engine: e, answer: &a, limits: l, seen: map[*sobek.Object]bool{}}
	if err := e.start(b); err != nil && !c.thrown("", err) {
		return a, fmt.Errorf("start the bundle of the schema files: %w", err)
	}
	for i, load := range e.loaders {
		if c.file(files[i].path, load); c.stopped || len(a.issues) >= maxIssues {
			break
		}
	}
	return a, nil
}

// collector collects what files export.
type collector struct {
	*engine
	*answer
	limits limits
	// told are values that were thrown: a file that throws does so again wherever it is imported.
	told []sobek.Value
	// stopped says that a limit was exceeded.
	stopped bool
	// seen are the collections met, so that a file may export again what it imports.
	seen          map[*sobek.Object]bool
	values, bytes int
}

func (c *collector) refuse(at place, file, path string, code Code, format string, args ...any) {
	if len(c.issues) >= maxIssues {
		return // more than anybody reads
	}
	if at.File == "" {
		at = place{File: file}
	}
	c.issues = append(c.issues, Issue{
		File: at.File, Line: at.Line, Column: at.Column, Path: path, Code: code, Message: fmt.Sprintf(format, args...),
	})
}

// file evaluates one file and takes its exports.
func (c *collector) file(file string, load sobek.Callable) {
	defer func() {
		broken := recover()
		err, isError := broken.(error)
		if broken == nil || isError && c.thrown(file, err) { // a getter of an export that is interrupted panics
			return
		}
		c.refuse(place{}, file, "", CodeCrash, "the engine broke down on this file: %s", shorten(fmt.Sprint(broken)))
	}()
	exports, err := load(sobek.Undefined())
	if err != nil {
		if !c.thrown(file, err) {
			c.refuse(place{}, file, "", CodeCrash, "%s", shorten(err.Error()))
		}
		return
	}
	c.exports(file, exports.ToObject(c.vm))
}

// exports takes the default export and then the others by name.
func (c *collector) exports(file string, module *sobek.Object) {
	names := module.Keys()
	slices.Sort(names)
	if i := slices.Index(names, "default"); i >= 0 {
		names = slices.Insert(slices.Delete(names, i, i+1), 0, "default")
	}
	for _, name := range names {
		var value sobek.Value
		if thrown := c.vm.Try(func() { value = module.Get(name) }); thrown != nil {
			c.thrown(file, thrown)
			continue
		}
		c.export(file, name, value)
	}
}

func (c *collector) export(file, name string, value sobek.Value) {
	o, isObject := value.(*sobek.Object)
	items, isArray := c.arrayItems(o)
	switch {
	case isObject && c.isCollection(o):
		c.collection(file, o)
	case isArray && (name == "default" || slices.ContainsFunc(items, c.isCollectionValue)):
		for i, item := range items {
			c.item(file, fmt.Sprintf("%s[%d]", schema.Show(name), i), item)
		}
	case name == "default" && isObject && !isProxy(o) && o.ClassName() == "Array":
		c.refuse(c.placeOf(value), file, "", CodeExport, "the export %s", unreadable(name, o, len(items)))
	case name == "default":
		c.refuse(c.placeOf(value), file, "", CodeExport, "the default export is %s, where a schema file exports a collection or an array of them; "+
			"export what other files share by a name", c.kindOf(value))
	}
}

func (c *collector) item(file, export string, value sobek.Value) {
	if !c.isCollectionValue(value) {
		c.refuse(c.placeOf(value), file, "", CodeExport, "the export %s is %s, where every item of the array must be a collection",
			export, c.kindOf(value))
		return
	}
	c.collection(file, value.(*sobek.Object))
}

func (c *collector) collection(file string, o *sobek.Object) {
	if c.seen[o] {
		return
	}
	c.seen[o] = true
	at := c.marked(o)
	d := Declared{File: file, circular: c.imports.circular(file, "")}
	if at.File == file {
		d.Line, d.Column = at.Line, at.Column
	}
	w := writer{collector: c, declared: d}
	w.value("", o, at)
	c.bytes += len(w.json)
	if w.failed == 0 {
		w.declared.json = w.json
		c.found = append(c.found, w.declared)
	}
}

func (c *collector) isCollectionValue(v sobek.Value) bool {
	o, ok := v.(*sobek.Object)
	return ok && c.isCollection(o)
}

// isCollection tells a collection from other objects with fields, such as a block. It may be built by hand.
func (c *collector) isCollection(o *sobek.Object) bool {
	if isProxy(o) || o.ClassName() != "Object" {
		return false
	}
	has := func(key string) bool { return c.held(o, c.vm.ToValue(key)) != nil }
	kind := c.kindBuilt(o)
	return kind == "collection" || kind == "" && has("name") && has("fields") && !has("type") && !has("key")
}
