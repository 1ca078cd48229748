package schematest

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// tree is a JSON value that can be changed in place.
type tree struct {
	kind jsontext.Kind
	raw  string   // of a scalar
	keys []string // of an object
	kids []*tree
}

func scalar(raw string) *tree { return parseTree([]byte(raw)) }

func parseTree(raw []byte) *tree {
	t, err := readTree(jsontext.NewDecoder(bytes.NewReader(raw)))
	if err != nil {
		panic(fmt.Sprintf("schematest: %s: %v", raw, err)) // the generators make JSON
	}
	return t
}

func readTree(dec *jsontext.Decoder) (*tree, error) {
	t := &tree{kind: dec.PeekKind()}
	if t.kind != '{' && t.kind != '[' {
		raw, err := dec.ReadValue()
		t.raw = string(raw)
		return t, err
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	for dec.PeekKind() != '}' && dec.PeekKind() != ']' {
		if t.kind == '{' {
			name, err := dec.ReadToken()
			if err != nil {
				return nil, err
			}
			t.keys = append(t.keys, name.String())
		}
		kid, err := readTree(dec)
		if err != nil {
			return nil, err
		}
		t.kids = append(t.kids, kid)
	}
	_, err := dec.ReadToken()
	return t, err
}

func (t *tree) member(key string) *tree {
	for i, k := range t.keys {
		if k == key {
			return t.kids[i]
		}
	}
	return nil
}

func (t *tree) add(key string, kid *tree) {
	t.keys, t.kids = append(t.keys, key), append(t.kids, kid)
}

func (t *tree) remove(key string) {
	for i, k := range t.keys {
		if k == key {
			t.keys, t.kids = append(t.keys[:i], t.keys[i+1:]...), append(t.kids[:i], t.kids[i+1:]...)
			return
		}
	}
}

func (t *tree) appendJSON(dst []byte) []byte {
	switch t.kind {
	case '{':
		dst = append(dst, '{')
		for i, kid := range t.kids {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = kid.appendJSON(append(strconv.AppendQuote(dst, t.keys[i]), ':'))
		}
		return append(dst, '}')
	case '[':
		dst = append(dst, '[')
		for i, kid := range t.kids {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = kid.appendJSON(dst)
		}
		return append(dst, ']')
	}
	return append(dst, t.raw...)
}
