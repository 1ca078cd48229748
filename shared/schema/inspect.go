package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/fault"
)

// maxJSONDepth is how deep JSON may be nested.
const maxJSONDepth = 64

// readNode reads one JSON text. What can be told apart (repeated keys, numbers out of bounds) becomes an item and
// reading goes on; a text that is not JSON ends it with an error.
func (p *parser) readNode(data []byte, path string) (*node, error) {
	dec := p.splitter.read(data)
	if err := p.inspect(dec, &trail{name: path}, 1); err != nil {
		return nil, syntaxFault(path, err)
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, syntaxFault(path, errors.New("something follows the value"))
	}
	raw, err := jsontext.AppendFormat(make([]byte, 0, len(data)), data, jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(false))
	if err != nil {
		return nil, syntaxFault(path, err)
	}
	return &node{by: &p.splitter, key: path, at: -1, kind: jsontext.Value(raw).Kind(), raw: raw}, nil
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

// trail is the way to a value that is being looked at. It is spelled out for faults alone.
type trail struct {
	up   *trail
	name string // of a member, as shown; of the file what faults call it
	at   int    // of an item, from 1 on; 0 for a member
}

func (t *trail) path() string {
	switch {
	case t.up == nil:
		return t.name
	case t.at > 0:
		return index(t.up.path(), t.at-1)
	}
	return join(t.up.path(), t.name)
}

// inspect looks through the next value and keeps nothing of it.
func (p *parser) inspect(dec *jsontext.Decoder, at *trail, depth int) error {
	kind := dec.PeekKind()
	if (kind == '{' || kind == '[') && depth > maxJSONDepth {
		return fmt.Errorf("nested deeper than %d", maxJSONDepth)
	}
	switch kind {
	case '{':
		return p.inspectObject(dec, at, depth)
	case '[':
		return p.inspectArray(dec, at, depth)
	}
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	switch kind {
	case '0':
		if err := CheckNumber(raw); err != nil {
			p.fault(at.path(), CodeType, "%s", err)
		}
	case '"':
		if text, _ := Unquote(raw); bytes.IndexByte(text, 0) >= 0 {
			p.fault(at.path(), CodeType, "must not contain the character NUL")
		}
	}
	return nil
}

func (p *parser) inspectObject(dec *jsontext.Decoder, at *trail, depth int) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	var seen map[string]bool
	for dec.PeekKind() != '}' {
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		key := token.String()
		below := trail{up: at, name: Show(key)}
		if err := p.inspect(dec, &below, depth+1); err != nil {
			return err
		}
		if strings.ContainsRune(key, 0) {
			p.fault(below.path(), CodeKey, "a key must not contain the character NUL")
		}
		switch {
		case seen[key]:
			p.fault(below.path(), CodeDuplicate, "is given twice")
		case seen == nil:
			seen = map[string]bool{key: true}
		default:
			seen[key] = true
		}
	}
	_, err := dec.ReadToken()
	return err
}

func (p *parser) inspectArray(dec *jsontext.Decoder, at *trail, depth int) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for n := 1; dec.PeekKind() != ']'; n++ {
		if err := p.inspect(dec, &trail{up: at, at: n}, depth+1); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}
