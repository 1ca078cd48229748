package value

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// ErrForm says that a value is not in compact form, which a stored value always is: the store is damaged, or a
// caller left out Intake.
var ErrForm = errors.New("value is not compact JSON")

// Member is one member of an object.
type Member struct {
	Name  string
	Value jsontext.Value
}

// Members splits an object in compact form into its members, in order. The values are parts of raw.
func Members(raw jsontext.Value) ([]Member, error) {
	var members []Member
	c := openObject(raw)
	for c.next() {
		members = append(members, Member{Name: string(c.name), Value: c.value})
	}
	return members, c.err
}

// Items splits an array in compact form into its items. They are parts of raw.
func Items(raw jsontext.Value) ([]jsontext.Value, error) {
	var items []jsontext.Value
	c := openArray(raw)
	for c.next() {
		items = append(items, c.value)
	}
	return items, c.err
}

// cursor walks the members of an object or the items of an array without allocating. After the last one, err says whether
// the form was whole.
type cursor struct {
	b      []byte
	i      int
	object bool
	err    error

	name   []byte // of the member, unquoted
	quoted []byte // the same, as it stands
	value  jsontext.Value
}

func openObject(raw []byte) cursor { return open(raw, '{') }

func openArray(raw []byte) cursor { return open(raw, '[') }

func open(raw []byte, first byte) cursor {
	last := first + 2 // in ASCII the closing bracket is two after the opening one
	if len(raw) < 2 || raw[0] != first || raw[len(raw)-1] != last {
		return cursor{err: ErrForm}
	}
	return cursor{b: raw[:len(raw)-1], i: 1, object: first == '{'}
}

// next moves to the next member or item; false at the end, and where the form is broken.
func (c *cursor) next() bool {
	if c.i >= len(c.b) || c.err != nil {
		return false
	}
	if c.i > 1 {
		if c.b[c.i] != ',' {
			return c.fail()
		}
		c.i++
	}
	if c.object && !c.readName() {
		return false
	}
	end := skip(c.b, c.i)
	if end < 0 {
		return c.fail()
	}
	c.value, c.i = c.b[c.i:end:end], end
	return true
}

func (c *cursor) readName() bool {
	if c.i >= len(c.b) || c.b[c.i] != '"' {
		return c.fail()
	}
	end := skipString(c.b, c.i)
	if end < 0 || end >= len(c.b) || c.b[end] != ':' {
		return c.fail()
	}
	name, ok := schema.Unquote(c.b[c.i:end])
	if !ok {
		return c.fail()
	}
	c.name, c.quoted, c.i = name, c.b[c.i:end], end+1
	return true
}

func (c *cursor) fail() bool {
	c.err = ErrForm
	return false
}

// skip returns the offset after the value that starts at i, or -1.
func skip(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	start := i
	for i < len(b) && isLiteral(b[i]) {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

// isLiteral reports whether c can be part of a number, true, false or null.
func isLiteral(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '.' || c == '+' || c == 'E'
}

func skipNested(b []byte, i int) int {
	for depth := 0; i >= 0 && i < len(b); {
		switch b[i] {
		case '"':
			i = skipString(b, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

func skipString(b []byte, i int) int {
	for i++; ; {
		j := bytes.IndexByte(b[i:], '"')
		if j < 0 {
			return -1
		}
		i += j + 1
		if !escaped(b, i-1) {
			return i
		}
	}
}
