package dsl

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/grafana/sobek"

	"svc/shared/schema"
)

// ownKeys returns the keys of an object in their order.
func (c *collector) ownKeys(o *sobek.Object) []sobek.Value {
	list, err := c.keys(sobek.Undefined(), o)
	if err != nil {
		return nil
	}
	keys := list.ToObject(c.vm)
	length := int(keys.Get("length").ToInteger())
	all := make([]sobek.Value, 0, min(length, maxValues))
	for i := range min(length, maxValues) {
		all = append(all, keys.Get(strconv.Itoa(i)))
	}
	return all
}

// arrayItems returns the items of an array that holds nothing but data. It is false for anything else, with the items
// before the one that is none.
func (c *collector) arrayItems(o *sobek.Object) ([]sobek.Value, bool) {
	if o == nil || isProxy(o) || o.ClassName() != "Array" {
		return nil, false
	}
	length := o.Get("length").ToInteger()
	if length > maxValues {
		return nil, false
	}
	items := make([]sobek.Value, 0, length)
	for i := range length {
		held, err := c.descriptor(sobek.Undefined(), o, c.vm.ToValue(i))
		if err != nil || sobek.IsUndefined(held) {
			return items, false
		}
		value := held.ToObject(c.vm).Get("value")
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

var proxyType = reflect.TypeFor[sobek.Proxy]()

func isProxy(o *sobek.Object) bool { return o.ExportType() == proxyType }

// placeOf returns where an exported value was built, or else where it is exported.
func (c *collector) placeOf(file, name string, v sobek.Value) place {
	if o, ok := v.(*sobek.Object); ok {
		if at := c.marked(o); at.File != "" {
			return at
		}
	}
	return c.positions.export(file, name)
}

// kindOf names a value for a message.
func (c *collector) kindOf(v sobek.Value) string {
	o, isObject := v.(*sobek.Object)
	switch {
	case v == nil || sobek.IsUndefined(v):
		return "undefined"
	case sobek.IsNull(v):
		return "null"
	case isObject && isProxy(o):
		return "a Proxy"
	case isObject && c.kindBuilt(o) != "":
		return "only a part of a collection (" + c.kindBuilt(o) + ")"
	case isObject:
		return c.kindOfClass(o)
	}
	switch v.(type) {
	case sobek.String:
		return "a string"
	case *sobek.Symbol:
		return "a symbol"
	}
	switch v.Export().(type) {
	case bool:
		return "a boolean"
	case int64, float64:
		return "a number"
	}
	return "a BigInt"
}

func (c *collector) kindOfClass(o *sobek.Object) string {
	switch class := c.class(o); {
	case o.ClassName() == "Function":
		return "a function"
	case class == "Array":
		return "an array"
	case class == "Object" || class == "":
		return "an object"
	default:
		return "an object of the class " + shorten(class)
	}
}

// class is the name of the class of an object, or "".
func (c *collector) class(o *sobek.Object) string {
	proto := o.Prototype()
	if proto == nil || isProxy(proto) {
		return ""
	}
	if made, ok := c.held(proto, c.vm.ToValue("constructor")).(*sobek.Object); ok {
		return c.text(made, "name")
	}
	return ""
}

// instead tells what to write where a value cannot be taken that is an option of others.
func (c *collector) instead(o, options *sobek.Object) string {
	if o.ClassName() == "Function" {
		return ", which no schema can hold; write the value, or call the function"
	}
	switch c.class(o) {
	case "Date":
		if options != nil && c.text(options, "type") == string(schema.TypeDatetime) {
			return "; write the datetime as a string with an offset, such as " + schema.DatetimeExample
		}
		return "; write the date as a string, such as " + schema.DateExample
	case "RegExp":
		if pattern := c.patternOf(o); pattern != "" {
			return "; write the pattern as a string: " + pattern
		}
		return "; write the pattern as a string"
	case "Promise":
		return "; nothing in a schema file takes time"
	}
	return "; write a plain object, array or value"
}

// patternOf is what to write instead of a RegExp; "" where that is too long to be shown.
func (c *collector) patternOf(o *sobek.Object) string {
	parts, err := c.pattern(sobek.Undefined(), o)
	if err != nil {
		return ""
	}
	list := parts.ToObject(c.vm)
	return schema.PatternText(list.Get("0").String(), list.Get("1").String())
}
