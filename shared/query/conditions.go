package query

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"sort"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
	"svc/shared/value"
)

// Condition is a filter that was bound to a schema.
type Condition struct {
	Field *schema.Field
	Op    Op
	// Keys are those of what is compared with (value.KeyOf): several of OpIn, ascending and without repetitions, none of
	// OpExists, else one.
	Keys [][]byte
	// Exists is what OpExists asks for.
	Exists bool
}

// Holds decides for an entry by the key of its value, or that it has none. Only ne and exists=false hold where there is no
// value.
func (c *Condition) Holds(key []byte, missing bool) bool {
	if c.Op == OpExists {
		return c.Exists != missing
	}
	if missing {
		return c.Op == OpNotEqual
	}
	switch c.Op {
	case OpEqual:
		return bytes.Equal(key, c.Keys[0])
	case OpNotEqual:
		return !bytes.Equal(key, c.Keys[0])
	case OpIn:
		i := sort.Search(len(c.Keys), func(i int) bool { return bytes.Compare(c.Keys[i], key) >= 0 })
		return i < len(c.Keys) && bytes.Equal(c.Keys[i], key)
	}
	n := bytes.Compare(key, c.Keys[0])
	switch c.Op {
	case OpGreater:
		return n > 0
	case OpGreaterOrEqual:
		return n >= 0
	case OpLess:
		return n < 0
	}
	return n <= 0
}

// compareConditions is the order in which conditions are kept.
func compareConditions(a, b Condition) int {
	return cmp.Or(cmp.Compare(a.Field.Key, b.Field.Key), cmp.Compare(a.Op, b.Op))
}

// Conditions are the filters of a list, bound to a schema: an entry is in the list if all of them hold. The zero value has
// none and every entry in it.
type Conditions struct {
	all     []Condition // by field and operator
	fields  schema.Fields
	reading reading
}

// reading is how the value of a field is read: as a reader in this locale sees it.
type reading struct {
	schema  *schema.Collection
	locales value.Locales
	locale  string
}

func (r *reading) read(f *schema.Field, fields []byte) (jsontext.Value, error) {
	return value.Read(r.schema, r.locales, r.locale, fields, f.Key)
}

// None reports whether there are no conditions.
func (c *Conditions) None() bool { return len(c.all) == 0 }

// All returns the conditions, by field and then operator. They must not be changed.
func (c *Conditions) All() []Condition { return c.all }

// room is how many fields Match reads without allocating.
const room = 8

// Match decides for an entry, from its stored fields, in one pass over them. A stored value that does not fit the type of its
// field is as none. It is an error where fields is not in compact form.
func (c *Conditions) Match(fields []byte) (bool, error) {
	if len(c.all) == 0 {
		return true, nil
	}
	var space [room]jsontext.Value
	values := space[:]
	if len(c.fields) > room {
		values = make([]jsontext.Value, len(c.fields))
	}
	values = values[:len(c.fields)]
	if err := value.ReadSet(values, c.fields, c.reading.locales, c.reading.locale, fields); err != nil {
		return false, err
	}
	return c.holds(values), nil
}

// holds goes through the conditions beside the values of their fields.
func (c *Conditions) holds(values []jsontext.Value) bool {
	var space [2 * value.MaxNumberKey]byte
	var key []byte
	fits, at := false, -1
	for i := range c.all {
		condition := &c.all[i]
		if at < 0 || c.fields[at] != condition.Field {
			at++
			key, fits = value.KeyOf(space[:0], condition.Field, values[at])
		}
		if !condition.Holds(key, !fits) {
			return false
		}
	}
	return true
}

// Text tells conditions apart for cursors: equal for filters that mean the same, in whatever order and form they were given.
func (c *Conditions) Text() string {
	if len(c.all) == 0 {
		return ""
	}
	var b []byte
	part := func(s []byte) {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	for i := range c.all {
		condition := &c.all[i]
		part([]byte(condition.Field.Key))
		b = append(b, byte(value.ClassOf(condition.Field)), byte(condition.Op), byte(len(condition.Keys)))
		if condition.Exists {
			b = append(b, 1)
		}
		for _, key := range condition.Keys {
			part(key)
		}
	}
	return string(b)
}
