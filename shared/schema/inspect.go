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

// readNode reads one JSON text. Numbers out of bounds and characters that no text may hold become items; a text that is
// not JSON, or gives a member twice, ends it with an error.
func (p *parser) readNode(data []byte, path string) (*node, error) {
	if err := p.inspect(data, path); err != nil {
		return nil, syntaxFault(path, err)
	}
	raw, err := jsontext.AppendFormat(make([]byte, 0, len(data)), data, jsontext.PreserveRawStrings(false))
	if err != nil {
		return nil, syntaxFault(path, err)
	}
	return &node{by: &p.splitter, key: path, at: -1, kind: jsontext.Value(raw).Kind(), raw: raw}, nil
}

// inspect looks through a text and keeps nothing of it.
func (p *parser) inspect(data []byte, path string) error {
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	for values := 0; ; {
		token, err := dec.ReadToken()
		switch {
		case errors.Is(err, io.EOF) && values == 1:
			return nil
		case err != nil:
			return err
		case values == 1:
			return errors.New("something follows the value")
		case dec.StackDepth() > maxJSONDepth:
			return fmt.Errorf("nested deeper than %d", maxJSONDepth)
		case token.Kind() == '0':
			if err := CheckNumber(token.String()); err != nil {
				p.fault(pathTo(path, dec.StackPointer()), CodeType, "%s", err)
			}
		case token.Kind() == '"' && strings.ContainsRune(token.String(), 0):
			p.fault(pathTo(path, dec.StackPointer()), CodeType, "must not contain the character NUL")
		}
		if dec.StackDepth() == 0 {
			values++
		}
	}
}

// syntaxFault says what is wrong and at which byte; the names around the place may have any length.
func syntaxFault(path string, err error) error {
	item := fault.Item{Path: path, Code: string(CodeSyntax), Message: "is not valid JSON: " + err.Error()}
	if at := (*jsontext.SyntacticError)(nil); errors.As(err, &at) {
		if errors.Is(err, jsontext.ErrDuplicateName) {
			item = fault.Item{Path: pathTo(path, at.JSONPointer), Code: string(CodeDuplicate), Message: "is given twice"}
		} else {
			item.Message = fmt.Sprintf("is not valid JSON: %v at byte %d", at.Err, at.ByteOffset)
		}
	}
	return &fault.Error{Code: fault.ValidationFailed, Detail: "the schema cannot be read: " + item.String(), Items: []fault.Item{item}}
}

// pathTo is how faults name what a JSON pointer leads to.
func pathTo(path string, pointer jsontext.Pointer) string {
	for name := range pointer.Tokens() {
		if i, err := strconv.Atoi(name); err == nil {
			path = index(path, i)
		} else {
			path = join(path, Show(name))
		}
	}
	return path
}
