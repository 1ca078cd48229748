package dsl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/grafana/sobek"
)

// thrown makes an issue of what ended an evaluation. It is false for what no file can have caused.
func (c *collector) thrown(file string, err error) bool {
	var overflow *sobek.StackOverflowError
	var interrupted *sobek.InterruptedError
	var exception *sobek.Exception
	switch {
	case errors.As(err, &interrupted):
		code, _ := interrupted.Value().(Code)
		c.refuse(c.placeOn(interrupted.Stack()), file, "", code, "%s", c.limits.exceeded(code))
		c.stopped = true
	case errors.As(err, &overflow):
		c.refuse(c.placeOn(overflow.Stack()), file, "", CodeRecursion, "calls are nested deeper than %d here", maxCalls)
	case errors.As(err, &exception) && slices.ContainsFunc(c.told, exception.Value().SameAs):
	case errors.As(err, &exception):
		c.told = append(c.told, exception.Value())
		code, message := c.describeWithin(exception)
		code, message = c.explainCircle(exception.Stack(), code, message)
		c.refuse(c.placeOn(exception.Stack()), file, "", code, "%s", message)
	default:
		return false
	}
	return true
}

// describeWithin renders an exception. What the module itself throws is meant for people as it stands.
func (c *collector) describeWithin(thrown *sobek.Exception) (Code, string) {
	if o, ok := thrown.Value().(*sobek.Object); ok && c.inModule(thrown.Stack()) {
		if message := c.text(o, "message"); message != "" {
			return CodeThrown, oneLine(message)
		}
	}
	return c.describe(thrown.Value())
}

// describe renders what was thrown. Nothing of the files runs for it.
func (c *collector) describe(value sobek.Value) (Code, string) {
	o, isObject := value.(*sobek.Object)
	if !isObject {
		return CodeThrown, "threw " + shorten(fmt.Sprint(value)) + "; an Error would tell where"
	}
	name, message := c.text(o, "name"), c.text(o, "message")
	absent, isReference := strings.CutSuffix(message, " is not defined")
	switch {
	case isProxy(o) || o.ClassName() != "Error" && message == "":
		return CodeThrown, "threw " + c.kindOf(o) + ", and no Error with a message"
	case name == "TypeError" && strings.HasPrefix(message, "a schema file has no "):
		return CodeForbidden, message
	case name == "ReferenceError" && isReference && slices.Contains(absentNames, absent):
		return CodeForbidden, message + ": a schema file has only the language itself and \"" + moduleName + "\""
	case name == "" || name == "Error" || name == "ReferenceError":
		return CodeThrown, shorten(message)
	}
	return CodeThrown, shorten(name + ": " + message)
}

// absentNames are names that programs of Node.js and pages have.
var absentNames = []string{
	"module", "exports", "__filename", "__dirname", "process", "Buffer", "global", "Deno", "Bun", "fetch", "XMLHttpRequest", "WebSocket",
	"Worker", "WebAssembly", "window", "document", "self", "navigator", "location", "localStorage", "setTimeout", "setInterval",
	"setImmediate", "queueMicrotask", "performance", "console", "alert", "print", "crypto",
}
