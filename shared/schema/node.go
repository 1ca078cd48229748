package schema

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// node is one JSON value of a schema file that inspect has looked through. What it holds is split when it is asked for, so
// that values which no one asks for, such as what a json default holds, take no more room than their text.
type node struct {
	by   *splitter
	up   *node  // nil for the file
	key  string // of the member of up; of the file what faults call it
	at   int    // of the item of up; -1 for a member
	kind jsontext.Kind
	raw  jsontext.Value // compact
}

// splitter takes texts apart, one at a time; making one for each would take more room than most of them.
type splitter struct {
	dec jsontext.Decoder
	src bytes.Buffer
}

// open enters an object or an array in compact form.
func (s *splitter) open(raw jsontext.Value) *jsontext.Decoder {
	s.src = *bytes.NewBuffer(raw)
	s.dec.Reset(&s.src, jsontext.AllowDuplicateNames(true)) // inspect has found none
	_, _ = s.dec.ReadToken()
	return &s.dec
}

type member struct {
	key   string
	value *node
}

// path is what faults name the value by.
func (n *node) path() string {
	switch {
	case n.up == nil:
		return n.key
	case n.at >= 0:
		return index(n.up.path(), n.at)
	}
	return join(n.up.path(), Show(n.key)) // or a long key would be repeated in every path below it
}

// members splits an object, in order.
func (n *node) members() []member {
	if n.kind != '{' {
		return nil
	}
	dec := n.by.open(n.raw)
	var members []member
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return members
		}
		value := n.below(dec, name.String(), -1)
		if value == nil {
			return members
		}
		members = append(members, member{value.key, value})
	}
	return members
}

// items splits an array.
func (n *node) items() []*node {
	if n.kind != '[' {
		return nil
	}
	dec := n.by.open(n.raw)
	var items []*node
	for dec.PeekKind() != ']' {
		item := n.below(dec, "", len(items))
		if item == nil {
			return items
		}
		items = append(items, item)
	}
	return items
}

// below takes the next value of n.
func (n *node) below(dec *jsontext.Decoder, key string, at int) *node {
	kind := dec.PeekKind()
	raw, err := dec.ReadValue()
	if err != nil {
		return nil
	}
	end := int(dec.InputOffset())
	return &node{by: n.by, up: n, key: key, at: at, kind: kind, raw: n.raw[end-len(raw) : end : end]}
}

// text returns what a string says.
func (n *node) text() (string, bool) {
	text, ok := Unquote(n.raw)
	return string(text), ok && n.kind == '"'
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// appendString writes s as a JSON string. Invalid UTF-8 cannot come from a parsed schema; it would be replaced.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}
