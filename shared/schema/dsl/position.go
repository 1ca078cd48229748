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

// place is a position in a schema file; the zero value is none.
type place struct {
	File         string
	Line, Column int
}

// positions leads from the bundle back to the files.
type positions struct {
	bundle bundle
	files  map[string]string // the texts by path
	// spots are the places of each file that something of the bundle comes from, where they were asked for.
	spots mapped
	// known are the places by the number that the module keeps.
	known []place
}

func newPositions(b bundle, files []source) *positions {
	p := &positions{bundle: b, files: map[string]string{}}
	for _, f := range files {
		p.files[f.Path] = f.Text
	}
	return p
}

// of returns the first place in a schema file on a call stack.
func (p *positions) of(stack []sobek.StackFrame) place {
	for i := range stack[:min(len(stack), maxFrames)] {
		if at := p.frame(&stack[i]); at.File != "" {
			return at
		}
	}
	return place{}
}

// inModule reports whether the innermost call is one of the module.
func (p *positions) inModule(stack []sobek.StackFrame) bool {
	if len(stack) == 0 || stack[0].SrcName() != bundleName {
		return false
	}
	at := stack[0].Position()
	name, _, _, ok := p.source(at.Line, at.Column)
	return ok && strings.HasPrefix(name, moduleSpace+":")
}

func (p *positions) frame(f *sobek.StackFrame) place {
	if f.SrcName() != bundleName {
		return place{}
	}
	at := f.Position()
	return p.inFile(at.Line, at.Column)
}

// inFile returns the place in a schema file that a place in the bundle, from 1, comes from.
func (p *positions) inFile(line, column int) place {
	name, line, column, ok := p.source(line, column)
	file, isFile := strings.CutPrefix(name, fileSpace+":")
	if _, known := p.files[file]; !ok || !isFile || !known {
		return place{}
	}
	return place{file, line, column + 1}
}

func (p *positions) source(line, column int) (name string, atLine, atColumn int, ok bool) {
	if p.bundle.positions == nil {
		return "", 0, 0, false
	}
	name, _, atLine, atColumn, ok = p.bundle.positions.Source(line, column-1)
	return name, atLine, atColumn, ok
}

// here is what the module calls in every builder.
func (e *engine) here(sobek.FunctionCall) sobek.Value {
	p := e.positions
	at := p.of(e.vm.CaptureCallStack(maxFrames, nil))
	if at.File == "" || len(p.known) >= maxMarks {
		return sobek.Undefined()
	}
	p.known = append(p.known, at)
	return e.vm.ToValue(len(p.known))
}

// marked returns where an object was built.
func (e *engine) marked(o *sobek.Object) place {
	held := e.held(o, e.at)
	if held == nil {
		return place{}
	}
	number, ok := held.Export().(int64)
	if !ok || number < 1 || number > int64(len(e.positions.known)) {
		return place{}
	}
	return e.positions.known[number-1]
}

// kindBuilt returns the kind of what a builder of the module made, such as "field", or "".
func (e *engine) kindBuilt(o *sobek.Object) string {
	kind, ok := e.held(o, e.kind).(sobek.String)
	if !ok {
		return ""
	}
	return kind.String()
}
