package dsl

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/grafana/sobek"

	"svc/shared/schema"
)

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

// kindBuilt returns the kind of what a builder of the module made, such as "field", or "".
func (e *engine) kindBuilt(o *sobek.Object) string {
	if kind, ok := e.held(o, e.kind).(sobek.String); ok {
		return kind.String()
	}
	return ""
}

// ownKeys returns the keys of an object in their order.
func (e *engine) ownKeys(o *sobek.Object) []sobek.Value {
	list, err := e.keys(sobek.Undefined(), o)
	if err != nil {
		return nil
	}
	keys := list.ToObject(e.vm)
	all := make([]sobek.Value, min(keys.Get("length").ToInteger(), maxValues))
	for i := range all {
		all[i] = keys.Get(strconv.Itoa(i))
	}
	return all
}

// arrayItems returns the items of an array that holds nothing but data. It is false for anything else, with the items
// before the one that is none.
func (e *engine) arrayItems(o *sobek.Object) ([]sobek.Value, bool) {
	if o == nil || isProxy(o) || o.ClassName() != "Array" {
		return nil, false
	}
	length := o.Get("length").ToInteger()
	if length > maxValues {
		return nil, false
	}
	items := make([]sobek.Value, 0, length)
	for i := range length {
		value := e.held(o, e.vm.ToValue(i))
		if value == nil {
			return items, false
		}
		items = append(items, value)
	}
	return items, true
}

// unreadable says why an array cannot be taken, of which the first items could be read.
func unreadable(name string, o *sobek.Object, read int) string {
	if o.Get("length").ToInteger() > maxValues {
		return fmt.Sprintf("%s has more than %d items", name, maxValues)
	}
	return fmt.Sprintf("%s[%d] is a hole or a getter; write the value itself", name, read)
}

func isProxy(o *sobek.Object) bool { return o.ExportType() == reflect.TypeFor[sobek.Proxy]() }

// placeOf returns where an exported value was built, if a builder made it.
func (e *engine) placeOf(v sobek.Value) place {
	if o, ok := v.(*sobek.Object); ok {
		return e.marked(o)
	}
	return place{}
}

// text reads a text member that is data, of an object or its prototypes.
func (e *engine) text(o *sobek.Object, key string) string {
	for depth := 0; o != nil && depth < 8; depth, o = depth+1, o.Prototype() {
		if isProxy(o) {
			return ""
		}
		if s, ok := e.held(o, e.vm.ToValue(key)).(sobek.String); ok {
			return s.String()
		}
	}
	return ""
}

// kindOf names a value for a message.
func (e *engine) kindOf(v sobek.Value) string {
	switch typed := v.(type) {
	case *sobek.Object:
		return e.kindOfObject(typed)
	case sobek.String:
		return "a string"
	case *sobek.Symbol:
		return "a symbol"
	}
	if v == nil || sobek.IsUndefined(v) {
		return "undefined"
	}
	switch v.Export().(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case int64, float64:
		return "a number"
	}
	return "a BigInt"
}

func (e *engine) kindOfObject(o *sobek.Object) string {
	class := e.class(o)
	switch {
	case isProxy(o):
		return "a Proxy"
	case e.kindBuilt(o) != "":
		return "only a part of a collection (" + e.kindBuilt(o) + ")"
	case o.ClassName() == "Function":
		return "a function"
	case class == "Array":
		return "an array"
	case class == "Object" || class == "":
		return "an object"
	}
	return "an object of the class " + shorten(class)
}

// class is the name of the class of an object, or "".
func (e *engine) class(o *sobek.Object) string {
	if isProxy(o) {
		return ""
	}
	proto := o.Prototype()
	if proto == nil || isProxy(proto) {
		return ""
	}
	if made, ok := e.held(proto, e.vm.ToValue("constructor")).(*sobek.Object); ok {
		return e.text(made, "name")
	}
	return ""
}

// instead tells what to write where a value cannot be taken.
func (e *engine) instead(o *sobek.Object) string {
	if o.ClassName() == "Function" {
		return ", which no schema can hold; write the value, or call the function"
	}
	switch e.class(o) {
	case "Date":
		return "; write the date as a string, such as " + schema.DateExample + ", or the datetime, such as " + schema.DatetimeExample
	case "RegExp":
		return "; write the pattern as a string, such as \"^[a-z]+$\""
	case "Promise":
		return "; nothing in a schema file takes time"
	}
	return "; write a plain object, array or value"
}
