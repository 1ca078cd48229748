package dsl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/grafana/sobek"
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
	if err := e.start(b); err != nil {
		return a, fmt.Errorf("start the bundle of the schema files: %w", err)
	}
	c := &collector{engine: e, answer: &a, budget: limits}
	for i, file := range b.files {
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
	// seen are the collections met, so that a file may export again what it imports.
	seen          []*sobek.Object
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
			c.refuse(place{}, file, "", CodeCrash, "the engine broke down on this file: %v", broken)
		}
	}()
	c.rejected = nil
	exports, err := load(sobek.Undefined())
	if err != nil {
		if !c.thrown(file, err) {
			c.refuse(place{}, file, "", CodeCrash, "%v", err)
		}
		return
	}
	for _, p := range c.rejected {
		c.refuse(place{}, file, "", CodeThrown, "a promise of this file failed and nobody noticed: %s", c.say(p.Result()))
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
		c.collection(file, name, o)
	case isArray && (name == "default" || slices.ContainsFunc(items, c.isCollectionValue)):
		for i, item := range items {
			c.item(file, fmt.Sprintf("%s[%d]", name, i), item)
		}
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
	c.collection(file, export, value.(*sobek.Object))
}

func (c *collector) collection(file, export string, o *sobek.Object) {
	if slices.Contains(c.seen, o) {
		return
	}
	c.seen = append(c.seen, o)
	w := writer{collector: c, file: file, found: found{File: file, Export: export}}
	if w.write(o) {
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

// thrown makes an issue of what ended an evaluation. It is false for what no file can have caused.
func (c *collector) thrown(file string, err error) bool {
	var overflow *sobek.StackOverflowError
	var interrupted *sobek.InterruptedError
	var exception *sobek.Exception
	switch {
	case errors.As(err, &interrupted):
		at := c.positions.of(interrupted.Stack())
		code, _ := interrupted.Value().(Code)
		issue := Issue{File: file}.over(code, c.budget)
		c.refuse(at, file, "", code, "%s", issue.Message)
	case errors.As(err, &overflow):
		c.refuse(c.positions.of(overflow.Stack()), file, "", CodeRecursion, "calls are nested deeper than %d here", maxCalls)
	case errors.As(err, &exception):
		c.refuse(c.positions.of(exception.Stack()), file, "", CodeThrown, "%s", c.sayWithin(exception))
	default:
		return false
	}
	return true
}

// sayWithin renders an exception. What the module itself throws is meant for people as it stands.
func (c *collector) sayWithin(thrown *sobek.Exception) string {
	if o, ok := thrown.Value().(*sobek.Object); ok && c.positions.inModule(thrown.Stack()) {
		if message := c.text(o, "message"); message != "" {
			return message
		}
	}
	return c.say(thrown.Value())
}

// say renders what was thrown. Nothing of the files runs for it.
func (c *collector) say(value sobek.Value) string {
	o, isObject := value.(*sobek.Object)
	if !isObject {
		return "threw " + shorten(fmt.Sprint(value))
	}
	name, message := c.text(o, "name"), c.text(o, "message")
	switch {
	case o.ClassName() != "Error" && message == "":
		return "threw " + kindOfClass(o) + ", and no Error with a message"
	case name == "TypeError" && strings.HasPrefix(message, "a schema file has no "):
		return message
	case name == "ReferenceError":
		return explainReference(message)
	case name == "" || name == "Error":
		return shorten(message)
	}
	return shorten(name + ": " + message)
}

// text reads a text member that is data, of an object or its prototypes.
func (c *collector) text(o *sobek.Object, key string) string {
	for depth := 0; o != nil && depth < 8; depth, o = depth+1, o.Prototype() {
		if isProxy(o) {
			return ""
		}
		if s, ok := c.held(o, c.vm.ToValue(key)).(sobek.String); ok {
			return s.String()
		}
	}
	return ""
}

// explainReference adds to "process is not defined" what a schema file has instead.
func explainReference(message string) string {
	name, found := strings.CutSuffix(message, " is not defined")
	switch {
	case !found:
		return message
	case slices.Contains([]string{"require", "module", "exports", "__filename", "__dirname", "process", "Buffer", "global", "Deno", "Bun"}, name):
		return message + ": a schema file has no Node.js, only the language itself and \"svc/schema\""
	case slices.Contains([]string{"fetch", "XMLHttpRequest", "WebSocket", "window", "document", "self", "navigator", "location", "localStorage"}, name):
		return message + ": a schema file has no network and no browser, only the language itself and \"svc/schema\""
	case slices.Contains([]string{"setTimeout", "setInterval", "setImmediate", "queueMicrotask", "performance"}, name):
		return message + ": a schema file has no clock, only the language itself and \"svc/schema\""
	case name == "console":
		return message + ": a schema file prints nothing"
	}
	return message
}
