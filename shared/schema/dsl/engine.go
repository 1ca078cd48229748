package dsl

import (
	_ "embed"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/grafana/sobek"
	"github.com/grafana/sobek/parser"

	"svc/shared/schema"
)

//go:embed harden.js
var hardenText string

var hardenProgram = sync.OnceValues(func() (*sobek.Program, error) {
	return sobek.Compile("harden", hardenText, true)
})

// engine is a JavaScript engine without clock, chance, input and output, in which one bundle is evaluated.
type engine struct {
	vm        *sobek.Runtime
	positions *positions
	imports   imports

	// look are functions of the language as they were before any file ran.
	descriptor, keys, pattern sobek.Callable
	// at, kind and exact are under what the module keeps where something was built, what it is, and JSON text.
	at, kind, exact         *sobek.Symbol
	objectProto, arrayProto *sobek.Object

	// rejected are promises that failed and whose failure nobody took.
	rejected []rejection
	// failed is what is thrown in place of what was told already.
	failed *sobek.Object
	// loaders evaluate one file each.
	loaders []sobek.Callable
}

// rejection is a promise that failed, and where.
type rejection struct {
	promise *sobek.Promise
	at      place
}

func newEngine(b bundle, files []source) (*engine, error) {
	e := &engine{vm: sobek.New(), positions: newPositions(b, files), imports: b.imports}
	e.vm.SetMaxCallStackSize(maxCalls)
	e.vm.SetParserOptions(parser.WithDisableSourceMaps)
	e.vm.SetTimeSource(func() time.Time {
		panic(e.vm.NewTypeError("a schema file has no clock: the same files must always declare the same; write the date itself, such as " +
			schema.DateExample + ", or the datetime, such as " + schema.DatetimeExample))
	})
	e.vm.SetRandSource(func() float64 {
		panic(e.vm.NewTypeError("a schema file has no chance: the same files must always declare the same"))
	})
	e.vm.SetPromiseRejectionTracker(e.trackRejection)
	global := e.vm.GlobalObject()
	e.failed = e.vm.NewObject()
	if err := errors.Join(
		global.Set(loadFunction, e.takeLoaders),
		global.Set(hereFunction, e.here),
		global.Set(failedName, e.failed),
	); err != nil {
		return nil, fmt.Errorf("prepare the engine: %w", err)
	}
	if err := e.harden(); err != nil {
		return nil, fmt.Errorf("prepare the engine: %w", err)
	}
	return e, nil
}

// harden runs harden.js and keeps what it returns.
func (e *engine) harden() error {
	program, err := hardenProgram()
	if err != nil {
		return err
	}
	value, err := e.vm.RunProgram(program)
	if err != nil {
		return err
	}
	function, ok := sobek.AssertFunction(value)
	if !ok {
		return errors.New("harden.js is no function")
	}
	refuse := e.vm.ToValue(func(what string) { panic(e.vm.NewTypeError(what)) })
	e.objectProto = e.vm.NewObject().Prototype()
	e.arrayProto = e.vm.NewArray().Prototype()
	looks, err := function(sobek.Undefined(), refuse)
	if err != nil {
		return err
	}
	tools := looks.ToObject(e.vm)
	var isDescriptor, isKeys, isPattern bool
	var isAt, isKind, isExact bool
	e.descriptor, isDescriptor = sobek.AssertFunction(tools.Get("descriptor"))
	e.keys, isKeys = sobek.AssertFunction(tools.Get("keys"))
	e.pattern, isPattern = sobek.AssertFunction(tools.Get("pattern"))
	e.at, isAt = tools.Get("at").(*sobek.Symbol)
	e.kind, isKind = tools.Get("kind").(*sobek.Symbol)
	e.exact, isExact = tools.Get("exact").(*sobek.Symbol)
	if !isDescriptor || !isKeys || !isPattern || !isAt || !isKind || !isExact {
		return errors.New("harden.js returns something else")
	}
	return nil
}

// held returns what an object itself holds as data under a key, or nil. No code of a file runs for it.
func (e *engine) held(o *sobek.Object, key sobek.Value) sobek.Value {
	if isProxy(o) {
		return nil
	}
	property, err := e.descriptor(sobek.Undefined(), o, key)
	if err != nil || sobek.IsUndefined(property) {
		return nil
	}
	return property.ToObject(e.vm).Get("value")
}

// takeLoaders is what the bundle calls with one function for each file.
func (e *engine) takeLoaders(call sobek.FunctionCall) sobek.Value {
	if e.loaders != nil {
		return sobek.Undefined() // a file plays with it
	}
	list := call.Argument(0).ToObject(e.vm)
	for i := range len(list.Keys()) {
		if load, ok := sobek.AssertFunction(list.Get(fmt.Sprint(i))); ok {
			e.loaders = append(e.loaders, load)
		}
	}
	return sobek.Undefined()
}

func (e *engine) trackRejection(p *sobek.Promise, operation sobek.PromiseRejectionOperation) {
	if operation == sobek.PromiseRejectionReject {
		e.rejected = append(e.rejected, rejection{p, e.positions.of(e.vm.CaptureCallStack(maxFrames, nil))})
		return
	}
	for i, other := range e.rejected {
		if other.promise == p {
			e.rejected = append(e.rejected[:i], e.rejected[i+1:]...)
			return
		}
	}
}

// start runs the bundle itself, which evaluates nothing yet but the module.
func (e *engine) start(b bundle) error {
	program, err := sobek.Compile(bundleName, b.code, true)
	if err != nil {
		return err
	}
	_, err = e.vm.RunProgram(program)
	return err
}
