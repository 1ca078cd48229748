package dsl

import (
	"fmt"
	"math"
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
	declared Declared
	failed   int // values that JSON cannot say
	// within are the objects around the current one.
	within []*sobek.Object
	json   []byte
	// stopped says that the rest is not looked at.
	stopped bool
}

func (w *writer) fail(at place, path string, code Code, format string, args ...any) {
	w.refuse(at, w.declared.File, path, code, format, args...)
	w.failed++
	w.stopped = w.stopped || w.failed == maxIssues
	w.json = append(w.json, "null"...)
}

// value writes one value. Where it cannot, it says so and writes null, so that the rest is looked at as well.
func (w *writer) value(path string, v sobek.Value, at place) {
	w.values++
	size := 0 // at least, of what follows
	if text, ok := v.(sobek.String); ok {
		size = text.Length()
	}
	if over := w.values > maxValues || w.bytes+len(w.json)+size > maxResultBytes; over || w.stopped {
		if !w.stopped {
			w.fail(at, "", CodeTooLarge, "%s", w.excess())
		}
		w.stopped = true
		return
	}
	switch typed := v.(type) {
	case *sobek.Object:
		w.object(path, typed, at)
	case sobek.String:
		w.text(path, typed, at)
	case *sobek.Symbol:
		w.fail(at, path, CodeValue, "is a symbol, which no schema can hold")
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
	if sobek.IsUndefined(v) {
		w.fail(at, path, CodeValue, "is undefined")
		return
	}
	switch typed := v.Export().(type) {
	case nil:
		w.json = append(w.json, "null"...)
	case bool:
		w.json = strconv.AppendBool(w.json, typed)
	case int64, float64:
		switch number := v.ToFloat(); {
		case math.IsNaN(number) || math.IsInf(number, 0):
			w.fail(at, path, CodeValue, "is %s, which is no number a schema can hold", v.String())
		case number == math.Trunc(number) && math.Abs(number) >= 1<<53: // it may have been written as another one
			w.fail(at, path, CodeValue, "is about %s: JavaScript holds no whole number beyond 9007199254740991 exactly; write it in quotes, as in exact(\"9007199254740993\")", v.String())
		default:
			w.json = append(w.json, v.String()...)
		}
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

// exactly writes the JSON text of an exact value as it is.
func (w *writer) exactly(path string, v sobek.Value, at place) {
	text, ok := v.(sobek.String)
	if !ok || !jsontext.Value(text.String()).IsValid() {
		w.fail(at, path, CodeValue, "is no JSON; exact takes the text of one JSON value, such as exact(\"0.10\")")
		return
	}
	w.json = append(w.json, text.String()...)
}
