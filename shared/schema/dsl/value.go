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
	file  string
	found found
	// within are the objects around the current one.
	within []*sobek.Object
	json   []byte
	// stopped says that the rest is not looked at.
	stopped bool
}

// write writes the collection and says whether all of it could be looked at.
func (w *writer) write(o *sobek.Object, at place) bool {
	if w.marked(o).File == "" && at.File != "" {
		w.found.Marks = append(w.found.Marks, mark{"", at.File, at.Line, at.Column})
	}
	w.value("", o, at)
	w.found.JSON = jsontext.Value(w.json)
	w.bytes += len(w.json)
	return !w.stopped
}

func (w *writer) fail(at place, path string, code Code, format string, args ...any) {
	w.refuse(at, w.file, path, code, format, args...)
	w.found.Failed = append(w.found.Failed, path)
	w.stopped = w.stopped || len(w.found.Failed) == maxIssues
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
		w.stopped = true
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

// exactly writes the JSON text of an exact value as it is.
func (w *writer) exactly(path string, v sobek.Value, at place) {
	text, ok := v.(sobek.String)
	if !ok || !jsontext.Value(text.String()).IsValid() {
		w.fail(at, path, CodeValue, "is no JSON; exact takes the text of one JSON value, such as exact(\"0.10\")")
		return
	}
	w.json = append(w.json, text.String()...)
}
