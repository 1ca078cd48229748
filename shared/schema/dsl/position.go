package dsl

import (
	"strings"

	"github.com/grafana/sobek"
)

const (
	bundleName = "bundle"
	// hereFunction is the global function with which the module remembers where a builder was called. It returns a number
	// that the module keeps, under Symbol.for("svc.at"), at what the builder made.
	hereFunction = "__svc_here"
	// maxFrames is how many stack frames are searched for one of a schema file.
	maxFrames = 64
)

// place is a position in a schema file, line and column from 1; the zero value is none.
type place struct {
	File         string
	Line, Column int
}

// sourceOf returns what the code of a call comes from: a file or the module, with its name space.
func (e *engine) sourceOf(f *sobek.StackFrame) (name string, line, column int) {
	if f.SrcName() != bundleName {
		return "", 0, 0
	}
	at := f.Position()
	name, _, line, column, _ = e.source.Source(at.Line, at.Column-1)
	return name, line, column + 1
}

// placeOn returns the first place in a schema file on a call stack.
func (e *engine) placeOn(stack []sobek.StackFrame) place {
	for i := range stack[:min(len(stack), maxFrames)] {
		name, line, column := e.sourceOf(&stack[i])
		if file, isFile := strings.CutPrefix(name, fileSpace+":"); isFile {
			return place{file, line, column}
		}
	}
	return place{}
}

// inModule reports whether the innermost call is one of the module.
func (e *engine) inModule(stack []sobek.StackFrame) bool {
	if len(stack) == 0 {
		return false
	}
	name, _, _ := e.sourceOf(&stack[0])
	return strings.HasPrefix(name, moduleSpace+":")
}

// here is what the module calls in every builder.
func (e *engine) here(sobek.FunctionCall) sobek.Value {
	e.built = append(e.built, e.placeOn(e.vm.CaptureCallStack(maxFrames, nil)))
	return e.vm.ToValue(len(e.built))
}

// marked returns where an object was built.
func (e *engine) marked(o *sobek.Object) place {
	held := e.held(o, e.at)
	if held == nil {
		return place{}
	}
	number, ok := held.Export().(int64)
	if !ok || number < 1 || number > int64(len(e.built)) {
		return place{}
	}
	return e.built[number-1]
}
