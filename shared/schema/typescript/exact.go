package typescript

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// exact is JSON that no literal says exactly, as the call that carries its text.
func exact(raw jsontext.Value) expr {
	return call("exact", []expr{leaf(quote(string(raw)))}, nil)
}

// number writes a number. Where the nearest double is another number, its text goes through exact.
func number(text string) expr {
	if want, err := schema.ParseNumber(text); err == nil {
		if got, err := schema.ParseNumber(string(asDouble([]byte(text)))); err == nil && want.Cmp(got) == 0 {
			return leaf(text)
		}
	}
	return exact(jsontext.Value(text))
}

// asDouble is the text that a number has after JSON.parse and JSON.stringify; nil for the whole numbers that a schema file
// does not hold as literals, because others are rounded to them.
func asDouble(text []byte) []byte {
	if n, err := strconv.ParseFloat(string(text), 64); err != nil || n == math.Trunc(n) && math.Abs(n) >= 1<<53 {
		return nil
	}
	out, err := jsontext.AppendFormat(nil, text, jsontext.CanonicalizeRawInts(true), jsontext.CanonicalizeRawFloats(true))
	if err != nil {
		return nil
	}
	return out
}

// literal writes any JSON value. A default of a json field keeps the text of its numbers and the order of its
// members, so where JavaScript would not keep them the whole goes through exact.
func literal(raw jsontext.Value) expr {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	e, err := literalFrom(dec)
	if err == nil {
		_, err = dec.ReadToken()
	}
	if !errors.Is(err, io.EOF) {
		return exact(raw)
	}
	return e
}

// errInexact ends a literal that would be evaluated to another value.
var errInexact = errors.New("there is no literal of this value")

func literalFrom(dec *jsontext.Decoder) (expr, error) {
	switch kind := dec.PeekKind(); kind {
	case '{':
		return objectFrom(dec)
	case '[':
		return arrayFrom(dec)
	case '"':
		token, err := dec.ReadToken()
		return leaf(quote(token.String())), err
	default:
		raw, err := dec.ReadValue()
		if err == nil && kind == '0' && !bytes.Equal(asDouble(raw), raw) {
			err = errInexact
		}
		return leaf(string(raw)), err
	}
}

func objectFrom(dec *jsontext.Decoder) (expr, error) {
	if _, err := dec.ReadToken(); err != nil {
		return expr{}, err
	}
	var members []expr
	for dec.PeekKind() != '}' {
		token, err := dec.ReadToken()
		if err != nil {
			return expr{}, err
		}
		key := token.String()
		if movesOrVanishes(key) {
			return expr{}, errInexact
		}
		value, err := literalFrom(dec)
		if err != nil {
			return expr{}, err
		}
		members = append(members, value.named(memberKey(key)))
	}
	_, err := dec.ReadToken()
	return object(members), err
}

// movesOrVanishes reports whether an object literal treats a key otherwise than others: whole numbers come first in
// their own order, and __proto__ is no member.
func movesOrVanishes(key string) bool {
	for i := 0; i < len(key); i++ {
		if key[i] < '0' || key[i] > '9' {
			return key == "__proto__"
		}
	}
	return key != ""
}

func arrayFrom(dec *jsontext.Decoder) (expr, error) {
	if _, err := dec.ReadToken(); err != nil {
		return expr{}, err
	}
	var items []expr
	for dec.PeekKind() != ']' {
		item, err := literalFrom(dec)
		if err != nil {
			return expr{}, err
		}
		items = append(items, item)
	}
	_, err := dec.ReadToken()
	return array(items), err
}
