package dsl

import (
	"errors"
	"fmt"
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
		at := c.positions.of(interrupted.Stack())
		code, _ := interrupted.Value().(Code)
		issue := Issue{File: file}.over(code, c.budget)
		c.refuse(at, file, "", code, "%s", issue.Message)
	case errors.As(err, &overflow):
		c.refuse(c.positions.of(overflow.Stack()), file, "", CodeRecursion, "calls are nested deeper than %d here", maxCalls)
	case errors.As(err, &exception) && exception.Value() == c.failed && len(c.answer.Issues) > 0:
	case errors.As(err, &exception):
		code, message := c.describeWithin(exception)
		code, message = c.explainCircle(exception.Stack(), code, message)
		c.refuse(c.positions.of(exception.Stack()), file, "", code, "%s", message)
	default:
		return false
	}
	return true
}

// describeWithin renders an exception. What the module itself throws is meant for people as it stands.
func (c *collector) describeWithin(thrown *sobek.Exception) (Code, string) {
	if o, ok := thrown.Value().(*sobek.Object); ok && c.positions.inModule(thrown.Stack()) {
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
		return CodeThrown, "threw " + shorten(fmt.Sprint(value))
	}
	name, message := c.text(o, "name"), c.text(o, "message")
	switch {
	case isProxy(o) || o.ClassName() != "Error" && message == "":
		return CodeThrown, "threw " + c.kindOf(o) + ", and no Error with a message"
	case name == "TypeError" && strings.HasPrefix(message, "a schema file has no "):
		return CodeForbidden, message
	case name == "ReferenceError":
		return explainReference(message)
	case name == "" || name == "Error":
		return CodeThrown, shorten(message)
	}
	return CodeThrown, shorten(name + ": " + message)
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
