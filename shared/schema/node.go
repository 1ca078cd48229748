package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/fault"
)

// maxJSONDepth is how deep JSON may be nested.
const maxJSONDepth = 64

// node is one JSON value of a schema file, with the path that faults name it by.
type node struct {
	path    string
	kind    jsontext.Kind
	raw     jsontext.Value // compact; scalars only
	members []member       // of an object, in order, without repetitions
	items   []*node        // of an array
}

type member struct {
	key   string
	value *node
}

// readNode reads one JSON text. What can be told apart (repeated keys, numbers out of bounds) becomes an item and
// reading goes on; a text that is not JSON ends it with an error.
func (p *parser) readNode(data []byte, path string) (*node, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
	n, err := p.readValue(dec, path, 1)
	if err != nil {
		return nil, syntaxFault(path, err)
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, syntaxFault(path, errors.New("something follows the value"))
	}
	return n, nil
}

func syntaxFault(path string, err error) error {
	message := "is not valid JSON: " + syntaxReason(err)
	return &fault.Error{
		Code:   fault.ValidationFailed,
		Detail: "the schema " + message,
		Items:  []fault.Item{{Path: path, Code: string(CodeSyntax), Message: message}},
	}
}

// syntaxReason says what is wrong and at which byte; the names around the place may have any length.
func syntaxReason(err error) string {
	var at *jsontext.SyntacticError
	if !errors.As(err, &at) {
		return err.Error()
	}
	return fmt.Sprintf("%v at byte %d", at.Err, at.ByteOffset)
}

func (p *parser) readValue(dec *jsontext.Decoder, path string, depth int) (*node, error) {
	n := &node{path: path, kind: dec.PeekKind()}
	if (n.kind == '{' || n.kind == '[') && depth > maxJSONDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxJSONDepth)
	}
	switch n.kind {
	case '{':
		return n, p.readObject(dec, n, depth)
	case '[':
		return n, p.readArray(dec, n, depth)
	}
	raw, err := dec.ReadValue()
	if err != nil {
		return nil, err
	}
	n.raw, err = jsontext.AppendFormat(nil, raw, jsontext.PreserveRawStrings(false))
	if err != nil {
		return nil, err
	}
	switch n.kind {
	case '0':
		if err := CheckNumber(n.raw); err != nil {
			p.fault(path, CodeType, "%s", err)
		}
	case '"':
		if text, _ := unquote(n.raw); bytes.IndexByte(text, 0) >= 0 {
			p.fault(path, CodeType, "must not contain the character NUL")
		}
	}
	return n, nil
}

func (p *parser) readObject(dec *jsontext.Decoder, n *node, depth int) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for dec.PeekKind() != '}' {
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		key := token.String()
		path := join(n.path, Show(key)) // or a long key would be repeated in every path below it
		value, err := p.readValue(dec, path, depth+1)
		if err != nil {
			return err
		}
		if strings.ContainsRune(key, 0) {
			p.fault(path, CodeKey, "a key must not contain the character NUL")
		}
		if seen[key] {
			p.fault(path, CodeDuplicate, "is given twice")
			continue
		}
		seen[key] = true
		n.members = append(n.members, member{key, value})
	}
	_, err := dec.ReadToken()
	return err
}

func (p *parser) readArray(dec *jsontext.Decoder, n *node, depth int) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != ']' {
		item, err := p.readValue(dec, index(n.path, len(n.items)), depth+1)
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
	_, err := dec.ReadToken()
	return err
}

// appendJSON writes the value compactly, members in their order and numbers as they are.
func (n *node) appendJSON(dst []byte) []byte {
	switch n.kind {
	case '{':
		dst = append(dst, '{')
		for i, m := range n.members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, m.key), ':')
			dst = m.value.appendJSON(dst)
		}
		return append(dst, '}')
	case '[':
		dst = append(dst, '[')
		for i, item := range n.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendJSON(dst)
		}
		return append(dst, ']')
	}
	return append(dst, n.raw...)
}

// text returns what a string says.
func (n *node) text() (string, bool) {
	text, ok := unquote(n.raw)
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
