package dsl

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/grafana/sobek"

	"svc/shared/schema"
)

// evaluateFiles bundles and evaluates files, one after the other, and collects what they export. What goes wrong in
// one file leaves the others alone, except where a limit is exceeded. progress is told which file is next.
func evaluateFiles(r request, limits budget, w *watchdog, progress func(file string) error) (answer, error) {
	b, faults, warnings, err := bundleFiles(r.Files, r.Missing)
	a := answer{Issues: faults, Warnings: warnings}
	if err != nil || len(b.files) == 0 {
		return a, err
	}
	e, err := newEngine(b, r.Files)
	if err != nil {
		return a, err
	}
	w.guard(func(exceeded Code) { e.vm.Interrupt(exceeded) })
	c := &collector{engine: e, answer: &a, budget: limits, watch: w, seen: map[*sobek.Object]bool{}}
	if err := e.start(b); err != nil && !c.thrown("", err) {
		return a, fmt.Errorf("start the bundle of the schema files: %w", err)
	}
	for i, file := range b.files[:len(e.loaders)] {
		if err := progress(file); err != nil {
			return a, err
		}
		if c.file(file, e.loaders[i]); w.exceeded() != "" || len(a.Issues) >= maxIssues {
			break
		}
	}
	return a, nil
}

// collector collects what files export.
type collector struct {
	*engine
	answer *answer
	budget budget
	watch  *watchdog
	// seen are the collections met, so that a file may export again what it imports.
	seen          map[*sobek.Object]bool
	values, bytes int
}

func (c *collector) refuse(at place, file, path string, code Code, format string, args ...any) {
	if len(c.answer.Issues) >= maxIssues {
		return // more than anybody reads
	}
	if at.File == "" {
		at = place{File: file}
	}
	c.answer.Issues = append(c.answer.Issues, Issue{
		File: at.File, Line: at.Line, Column: at.Column, Path: path, Code: code, Message: fmt.Sprintf(format, args...),
	})
}

// file evaluates one file and takes its exports.
func (c *collector) file(file string, load sobek.Callable) {
	defer func() {
		if broken := recover(); broken != nil {
			if err, ok := broken.(error); ok && c.thrown(file, err) {
				return
			}
			c.refuse(place{}, file, "", CodeCrash, "the engine broke down on this file: %s", shorten(fmt.Sprint(broken)))
		}
	}()
	c.rejected = nil
	exports, err := load(sobek.Undefined())
	if err != nil {
		if !c.thrown(file, err) {
			c.refuse(place{}, file, "", CodeCrash, "%s", shorten(err.Error()))
		}
		return
	}
	for _, r := range c.rejected {
		code, message := c.describe(r.promise.Result())
		c.refuse(r.at, file, "", code, "a promise of this file failed and nobody noticed: %s", message)
	}
	c.exports(file, exports.ToObject(c.vm))
	c.watch.check()
	runtime.KeepAlive(exports)
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
		c.collection(file, name, name, o)
	case isArray && (name == "default" || slices.ContainsFunc(items, c.isCollectionValue)):
		for i, item := range items {
			c.item(file, name, fmt.Sprintf("%s[%d]", schema.Show(name), i), item)
		}
	case name == "default" && isObject && !isProxy(o) && o.ClassName() == "Array":
		c.refuse(c.placeOf(file, name, value), file, "", CodeExport, "the export %s", unreadable(name, o, len(items)))
	case name == "default":
		c.refuse(c.placeOf(file, name, value), file, "", CodeExport, "the default export is %s, where a schema file exports a collection or an array of them; "+
			"export what other files share by a name", c.kindOf(value))
	}
}

func (c *collector) item(file, name, export string, value sobek.Value) {
	if !c.isCollectionValue(value) {
		c.refuse(c.placeOf(file, name, value), file, "", CodeExport, "the export %s is %s, where every item of the array must be a collection",
			export, c.kindOf(value))
		return
	}
	c.collection(file, name, export, value.(*sobek.Object))
}

func (c *collector) collection(file, name, export string, o *sobek.Object) {
	if c.seen[o] {
		return
	}
	c.seen[o] = true
	w := writer{collector: c, file: file, found: found{File: file, Export: export, Circular: c.imports.circular(file, "")}}
	if w.write(o, c.placeOf(file, name, o)) {
		c.answer.Found = append(c.answer.Found, w.found)
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
	kind := c.kindBuilt(o)
	return kind == "collection" || kind == "" && c.has(o, "name") && c.has(o, "fields") && !c.has(o, "type") && !c.has(o, "key")
}

func (c *collector) has(o *sobek.Object, key string) bool { return c.held(o, c.vm.ToValue(key)) != nil }
