package dsl

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/grafana/sobek"

	"svc/shared/schema"
)

// writer writes one collection as JSON and remembers where its parts were built. It looks at data only: no getter, no
// toJSON and no trap of a proxy is ever run.
type writer struct {
	*collector
	file  string
	found found
	// within are the objects around the current one.
	within []*sobek.Object
	json   []byte
	failed bool
	// stopped says that the rest is not looked at.
	stopped bool
}

// write writes the collection and says whether that went well.
func (w *writer) write(o *sobek.Object, at place) bool {
	if w.marked(o).File == "" && at.File != "" {
		w.found.Marks = append(w.found.Marks, mark{"", at.File, at.Line, at.Column})
	}
	w.value("", o, at)
	w.found.JSON = jsontext.Value(w.json)
	w.bytes += len(w.json)
	return !w.failed
}

func (w *writer) fail(at place, path string, code Code, format string, args ...any) {
	w.refuse(at, w.file, path, code, format, args...)
	w.failed = true
	w.json = append(w.json, "null"...)
}

// value writes one value. Where it cannot, it says so and writes null, so that the rest is looked at as well.
func (w *writer) value(path string, v sobek.Value, at place) {
	w.values++
	if code := w.watch.exceeded(); code != "" && !w.stopped { // looking at values is no code that could be interrupted
		w.fail(at, "", code, "%s", Issue{File: w.file}.over(code, w.budget).Message)
		w.stopped = true
	}
	size := 0 // at least, of what follows
	if text, ok := v.(sobek.String); ok {
		size = text.Length()
	}
	if over := w.values > maxValues || w.bytes+len(w.json)+size > maxResultBytes; over || w.stopped {
		if !w.stopped {
			w.fail(at, "", CodeTooLarge, "%s", w.excess())
		}
		w.stopped, w.failed = true, true
		return
	}
	if o, ok := v.(*sobek.Object); ok {
		w.object(path, o, at)
		return
	}
	switch typed := v.(type) {
	case sobek.String:
		w.text(path, typed, at)
		return
	case *sobek.Symbol:
		w.fail(at, path, CodeValue, "is a symbol, which no schema can hold")
		return
	}
	switch {
	case v == nil || sobek.IsUndefined(v):
		w.fail(at, path, CodeValue, "is undefined")
	case sobek.IsNull(v):
		w.json = append(w.json, "null"...)
	default:
		w.scalar(path, v, at)
	}
}

// excess says which limit the files are over.
func (w *writer) excess() string {
	if w.values > maxValues {
		return fmt.Sprintf("the files declare more than %d values", maxValues)
	}
	return fmt.Sprintf("the files declare more than %d bytes as JSON, and a push takes %d", maxResultBytes, schema.MaxSetBytes)
}

func (w *writer) scalar(path string, v sobek.Value, at place) {
	switch typed := v.Export().(type) {
	case bool:
		w.json = strconv.AppendBool(w.json, typed)
	case int64:
		w.json = strconv.AppendInt(w.json, typed, 10)
	case float64:
		if math.IsNaN(typed) || math.IsInf(typed, 0) {
			w.fail(at, path, CodeValue, "is %s, which is no number a schema can hold", v.String())
			return
		}
		w.json = append(w.json, v.String()...)
	default:
		w.fail(at, path, CodeValue, "is %s; write a number", w.kindOf(v))
	}
}

func (w *writer) text(path string, s sobek.String, at place) {
	text := s.String()
	if strings.ContainsRune(text, '\uFFFD') && hasLoneSurrogate(s) {
		w.fail(at, path, CodeValue, "holds half a character (a lone surrogate)")
		return
	}
	quoted, err := jsontext.AppendQuote(w.json, text)
	if err != nil {
		w.fail(at, path, CodeValue, "is no text: %v", err)
		return
	}
	w.json = quoted
}

func hasLoneSurrogate(s sobek.String) bool {
	for i := 0; i < s.Length(); i++ {
		if r := rune(s.CharAt(i)); utf16.IsSurrogate(r) {
			if i+1 == s.Length() || utf16.DecodeRune(r, rune(s.CharAt(i+1))) == '\uFFFD' {
				return true
			}
			i++
		}
	}
	return false
}

func (w *writer) object(path string, o *sobek.Object, at place) {
	if isProxy(o) {
		w.fail(at, path, CodeValue, "is a Proxy; write a plain object")
		return
	}
	if own := w.marked(o); own.File != "" {
		at = own
		w.found.Marks = append(w.found.Marks, mark{path, own.File, own.Line, own.Column})
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

// exactly writes the JSON text of an exact value as it is.
func (w *writer) exactly(path string, v sobek.Value, at place) {
	text, ok := v.(sobek.String)
	if !ok || !jsontext.Value(text.String()).IsValid() {
		w.fail(at, path, CodeValue, "is no JSON; exact takes the text of one JSON value, such as exact(\"0.10\")")
		return
	}
	w.json = append(w.json, text.String()...)
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
	w.json = append(w.json, '{')
	first := true
	for _, key := range w.ownKeys(o) {
		text, isText := key.(sobek.String)
		held, err := w.descriptor(sobek.Undefined(), o, key)
		if err != nil || sobek.IsUndefined(held) {
			w.fail(at, path, CodeValue, "cannot be read")
			break
		}
		property := held.ToObject(w.vm)
		if !property.Get("enumerable").ToBoolean() {
			continue
		}
		if !isText {
			w.fail(at, path, CodeValue, "has a symbol as a key, which no schema can hold")
			break
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
