package dsl

import (
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/go-sourcemap/sourcemap"
	"github.com/grafana/sobek"
	"github.com/grafana/sobek/parser"

	"svc/shared/schema"
)

//go:embed harden.js
var hardenText string

// engine is a JavaScript engine without clock, chance, input and output, in which one bundle is evaluated.
type engine struct {
	vm      *sobek.Runtime
	source  *sourcemap.Consumer // of the bundle
	imports imports

	// descriptor and keys are functions of the language as they were before any file ran.
	descriptor, keys sobek.Callable
	// at, kind and exact are under what the module keeps where something was built, what it is, and JSON text.
	at, kind, exact         *sobek.Symbol
	objectProto, arrayProto *sobek.Object

	// built are the places of builder calls, by the number that the module keeps, from 1.
	built []place
	// loaders evaluate one file each.
	loaders []sobek.Callable
}

func newEngine(b bundle) (*engine, error) {
	e := &engine{vm: sobek.New(), source: b.source, imports: b.imports}
	e.vm.SetMaxCallStackSize(maxCalls)
	e.vm.SetParserOptions(parser.WithDisableSourceMaps)
	e.vm.SetTimeSource(func() time.Time {
		panic(e.vm.NewTypeError("a schema file has no clock: the same files must always declare the same; write the date itself, such as " +
			schema.DateExample + ", or the datetime, such as " + schema.DatetimeExample))
	})
	e.vm.SetRandSource(func() float64 {
		panic(e.vm.NewTypeError("a schema file has no chance: the same files must always declare the same"))
	})
	global := e.vm.GlobalObject()
	if err := errors.Join(
		global.Set(loadFunction, e.takeLoaders),
		global.Set(hereFunction, e.here),
		e.harden(),
	); err != nil {
		return nil, fmt.Errorf("prepare the engine: %w", err)
	}
	return e, nil
}

// harden runs harden.js and keeps what it returns.
func (e *engine) harden() error {
	value, err := e.vm.RunScript("harden", hardenText)
	if err != nil {
		return err
	}
	harden, _ := sobek.AssertFunction(value)
	refuse := e.vm.ToValue(func(what string) { panic(e.vm.NewTypeError(what)) })
	e.objectProto, e.arrayProto = e.vm.NewObject().Prototype(), e.vm.NewArray().Prototype()
	looks, err := harden(sobek.Undefined(), refuse)
	if err != nil {
		return err
	}
	tools := looks.ToObject(e.vm)
	symbol := func(name string) *sobek.Symbol {
		s, _ := tools.Get(name).(*sobek.Symbol)
		return s
	}
	e.at, e.kind, e.exact = symbol("at"), symbol("kind"), symbol("exact")
	e.descriptor, _ = sobek.AssertFunction(tools.Get("descriptor"))
	e.keys, _ = sobek.AssertFunction(tools.Get("keys"))
	return nil
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

// start runs the bundle itself, which evaluates nothing yet but the module.
func (e *engine) start(b bundle) error {
	program, err := sobek.Compile(bundleName, b.code, true)
	if err != nil {
		return err
	}
	_, err = e.vm.RunProgram(program)
	return err
}
