package value

import (
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

// room is how many fields a split holds without allocating.
const room = 48

// split finds the value of every field in an object: values[i] belongs to fields[i] and stays nil where the object
// has no such member. Undeclared members are passed over. values has the length of fields.
func split(values []jsontext.Value, fields schema.Fields, raw jsontext.Value) error {
	c, err := openObject(raw)
	if err != nil {
		return err
	}
	at := -1
	for c.next() {
		if at = position(fields, c.name, at); at >= 0 {
			values[at] = c.value
		}
	}
	return c.err
}

// position is the index of a field, or -1. Stored members stand in schema order, so it is mostly soon after the
// last one.
func position(fields schema.Fields, name []byte, last int) int {
	for i := last + 1; i < len(fields); i++ {
		if fields[i].Key == string(name) {
			return i
		}
	}
	for i := 0; i <= last && i < len(fields); i++ {
		if fields[i].Key == string(name) {
			return i
		}
	}
	return -1
}
