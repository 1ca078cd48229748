package dsl

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/grafana/sobek"

	"svc/shared/schema"
)

func (w *writer) object(path string, o *sobek.Object, at place) {
	if isProxy(o) {
		w.fail(at, path, CodeValue, "is a Proxy; write a plain object")
		return
	}
	if own := w.marked(o); own.File != "" {
		at = own
		w.declared.marks = append(w.declared.marks, mark{path, own})
	}
	if slices.Contains(w.within, o) {
		w.fail(at, path, CodeValue, "contains itself")
		return
	}
	if len(w.within) == maxDepth {
		w.stopped = true // what is so deep can be too wide as well
		w.fail(at, path, CodeValue, "is nested deeper than %d values", maxDepth)
		return
	}
	w.within = append(w.within, o)
	switch exact := w.held(o, w.exact); {
	case exact != nil:
		w.exactly(path, exact, at)
	case o.ClassName() == "Array" && o.Prototype() == w.arrayProto:
		w.array(path, o, at)
	case o.ClassName() == "Object" && (o.Prototype() == nil || o.Prototype() == w.objectProto):
		w.members(path, o, at)
	default:
		w.fail(at, path, CodeValue, "is %s%s", w.kindOf(o), w.instead(o))
	}
	w.within = w.within[:len(w.within)-1]
}

func (w *writer) array(path string, o *sobek.Object, at place) {
	items, ok := w.arrayItems(o)
	switch {
	case !ok && o.Get("length").ToInteger() > maxValues:
		w.fail(at, path, CodeValue, "is an array of more than %d items", maxValues)
		return
	case !ok:
		w.fail(at, path+"["+strconv.Itoa(len(items))+"]", CodeValue, "is a hole in the array, or a getter; write the value itself")
		return
	}
	w.json = append(w.json, '[')
	for i, item := range items {
		if i > 0 {
			w.json = append(w.json, ',')
		}
		w.value(path+"["+strconv.Itoa(i)+"]", item, at)
	}
	w.json = append(w.json, ']')
}

func (w *writer) members(path string, o *sobek.Object, at place) {
	start := len(w.json)
	w.json = append(w.json, '{')
	first := true
	for _, key := range w.ownKeys(o) {
		text, isText := key.(sobek.String)
		held, err := w.descriptor(sobek.Undefined(), o, key)
		if err != nil || sobek.IsUndefined(held) {
			w.json = w.json[:start]
			w.fail(at, path, CodeValue, "cannot be read")
			return
		}
		property := held.ToObject(w.vm)
		if !property.Get("enumerable").ToBoolean() {
			continue
		}
		if !isText {
			w.json = w.json[:start]
			w.fail(at, path, CodeValue, "has a symbol as a key, which no schema can hold")
			return
		}
		within := join(path, text.String())
		value := property.Get("value")
		if value == nil {
			value = sobek.Undefined()
		}
		if getter := property.Get("get"); getter != nil {
			w.separate(&first, text)
			w.fail(at, within, CodeValue, "is a getter; write the value itself")
			continue
		}
		if sobek.IsUndefined(value) {
			continue // an option left out
		}
		w.separate(&first, text)
		w.value(within, value, at)
	}
	w.json = append(w.json, '}')
}

func (w *writer) separate(first *bool, key sobek.String) {
	if !*first {
		w.json = append(w.json, ',')
	}
	*first = false
	quoted, err := jsontext.AppendQuote(w.json, key.String())
	if err != nil { // a key with half a character: package schema refuses what is written instead
		quoted, _ = jsontext.AppendQuote(w.json, strings.ToValidUTF8(key.String(), "?")) //nolint:errcheck // valid
	}
	w.json = append(quoted, ':')
}

// join names what is under a key as package schema does.
func join(path, key string) string {
	key = schema.Show(key)
	if path == "" {
		return key
	}
	return path + "." + key
}
