// Package schematest makes random collections and values that fit them, for property tests.
package schematest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// File is a collection file that can be written in several ways of one meaning.
type File struct {
	root object
	character
}

// object is a set of options, or of fields where its order means something.
type object struct {
	ordered bool
	members []option
	// defaults are options that say what holds anyway.
	defaults []option
}

// option is a member; value is raw JSON, an object or a list.
type option struct {
	key   string
	value any
}

type list []any

func (o *object) set(key string, value any) { o.members = append(o.members, option{key, value}) }

func (o *object) setDefault(key string, value any) {
	o.defaults = append(o.defaults, option{key, value})
}

// either sets an option to the other of two values, or leaves it at the usual one, its default.
func (o *object) either(key, usual, other string, is bool) {
	if is {
		o.set(key, other)
	} else {
		o.setDefault(key, usual)
	}
}

// get returns the value of an option that is set, or nil.
func (o *object) get(key string) any {
	for _, m := range o.members {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// Plain writes the file with options in one order and defaults left out.
func (f *File) Plain() []byte {
	var b strings.Builder
	write(&b, f.root, nil)
	return []byte(b.String())
}

// Spelled writes the same meaning otherwise: options in a random order, some defaults spelled out, white space.
func (f *File) Spelled(t *rapid.T) []byte {
	var b strings.Builder
	write(&b, f.root, t)
	return []byte(b.String())
}

func write(b *strings.Builder, value any, t *rapid.T) {
	switch v := value.(type) {
	case string:
		b.WriteString(v)
	case list:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			write(b, item, t)
		}
		b.WriteByte(']')
	case object:
		writeObject(b, v, t)
	default:
		panic(fmt.Sprintf("schematest: value of type %T", value))
	}
}

func writeObject(b *strings.Builder, o object, t *rapid.T) {
	members := o.members
	if t != nil && !o.ordered {
		for _, d := range o.defaults {
			if rapid.Bool().Draw(t, "spell "+d.key) {
				members = append(members[:len(members):len(members)], d)
			}
		}
		members = rapid.Permutation(members).Draw(t, "order")
	}
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		if t != nil {
			b.WriteString("\n\t")
		}
		fmt.Fprintf(b, "%q:", m.key)
		write(b, m.value, t)
	}
	b.WriteByte('}')
}
