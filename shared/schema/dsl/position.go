package dsl

import (
	"regexp"
	"strings"

	"github.com/go-sourcemap/sourcemap"
	"github.com/grafana/sobek"
)

const (
	bundleName = "bundle"
	// hereFunction is the global function with which the module remembers where a builder was called. It returns a number
	// that the module keeps, under Symbol.for("svc.at"), at what the builder made.
	hereFunction = "__svc_here"
	// lookedAt are the calls searched for one of a schema file.
	lookedAt = 64
)

// place is a position in a schema file; the zero value is none.
type place struct {
	File         string
	Line, Column int
}

// positions leads from the bundle back to the files.
type positions struct {
	bundle *sourcemap.Consumer
	files  map[string]string // the texts by path
	// known are the places by the number that the module keeps.
	known []place
}

func newPositions(b bundle, files []source) *positions {
	p := &positions{bundle: b.positions, files: map[string]string{}}
	for _, f := range files {
		p.files[f.Path] = f.Text
	}
	return p
}

// of returns the first place in a schema file on a call stack.
func (p *positions) of(stack []sobek.StackFrame) place {
	for i := range stack[:min(len(stack), lookedAt)] {
		if at := p.frame(&stack[i]); at.File != "" {
			return at
		}
	}
	return place{}
}

// inModule reports whether the innermost call is one of the module.
func (p *positions) inModule(stack []sobek.StackFrame) bool {
	if len(stack) == 0 || p.bundle == nil || stack[0].SrcName() != bundleName {
		return false
	}
	at := stack[0].Position()
	name, _, _, _, ok := p.bundle.Source(at.Line, at.Column-1)
	return ok && strings.HasPrefix(name, moduleSpace+":")
}

func (p *positions) frame(f *sobek.StackFrame) place {
	if f.SrcName() != bundleName || p.bundle == nil {
		return place{}
	}
	at := f.Position()
	name, _, line, column, ok := p.bundle.Source(at.Line, at.Column-1)
	file, isFile := strings.CutPrefix(name, fileSpace+":")
	if _, known := p.files[file]; !ok || !isFile || !known {
		return place{}
	}
	return place{file, line, column + 1}
}

// export returns where a file exports a name, as far as a look at its text tells.
func (p *positions) export(file, name string) place {
	expression := `(?m)^[ \t]*export\s+default\b`
	if name != "default" {
		expression = `(?m)^[ \t]*export\s+(?:const|let|var|function|class)\s+` + regexp.QuoteMeta(name) + `\b`
	}
	text := p.files[file]
	found := regexp.MustCompile(expression).FindStringIndex(text)
	if found == nil {
		return place{}
	}
	start := found[0] + strings.Index(text[found[0]:], "export")
	line := strings.Count(text[:start], "\n")
	return place{file, line + 1, columnOf(text[strings.LastIndexByte(text[:start], '\n')+1:], start-strings.LastIndexByte(text[:start], '\n')-1)}
}

// here is what the module calls in every builder.
func (e *engine) here(sobek.FunctionCall) sobek.Value {
	p := e.positions
	at := p.of(e.vm.CaptureCallStack(lookedAt, nil))
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
