package value

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// TopLevel is the key of the field that a path below fields leads into, such as "sections" of
// "fields.sections[2].fields.title".
func TopLevel(path string) string {
	key := strings.TrimPrefix(path, "fields.")
	if end := strings.IndexAny(key, ".["); end >= 0 {
		key = key[:end]
	}
	return key
}

// pathAt names the innermost value of compact JSON that holds offset at; path is what the whole is called.
func pathAt(raw []byte, at int, path string) string {
	for len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') && at > 0 {
		c, err := open(raw, raw[0], raw[0]+2) // in ASCII the closing bracket is two after the opening one
		if err != nil {
			return path
		}
		inside := false
		for n := 0; !inside && c.next(); n++ {
			if c.i <= at {
				continue
			}
			if at < c.i-len(c.value) {
				return path // in the name of a member
			}
			if c.object {
				path = join(path, schema.Show(string(c.name)))
			} else {
				path = index(path, n)
			}
			at -= c.i - len(c.value)
			raw, inside = c.value, true
		}
		if !inside {
			return path
		}
	}
	return path
}

// Lookup returns the value at a path below fields, such as "fields.sections[2].fields.title"; false where there is
// none, or where the path is malformed. fields is in compact form.
func Lookup(fields jsontext.Value, path string) (jsontext.Value, bool, error) {
	rest, found := strings.CutPrefix(path, "fields")
	if !found {
		return nil, false, nil
	}
	at := fields
	for rest != "" {
		var err error
		switch rest[0] {
		case '.':
			end := strings.IndexAny(rest[1:], ".[")
			if end < 0 {
				end = len(rest) - 1
			}
			at, err = memberOf(at, rest[1:1+end])
			rest = rest[1+end:]
		case '[':
			number, after, closed := strings.Cut(rest[1:], "]")
			i, bad := strconv.ParseUint(number, 10, 31)
			if !closed || bad != nil {
				return nil, false, nil
			}
			at, err = itemOf(at, int(i))
			rest = after
		default:
			return nil, false, nil
		}
		if err != nil || at == nil {
			return nil, false, err
		}
	}
	return at, true, nil
}

// memberOf returns the member of an object with this name, or nil.
func memberOf(raw jsontext.Value, name string) (jsontext.Value, error) {
	if raw.Kind() != '{' {
		return nil, nil
	}
	c, err := openObject(raw)
	if err != nil {
		return nil, err
	}
	for c.next() {
		if string(c.name) == name {
			return c.value, nil
		}
	}
	return nil, c.err
}

func itemOf(raw jsontext.Value, i int) (jsontext.Value, error) {
	if raw.Kind() != '[' {
		return nil, nil
	}
	c, err := openArray(raw)
	if err != nil {
		return nil, err
	}
	for n := 0; c.next(); n++ {
		if n == i {
			return c.value, nil
		}
	}
	return nil, c.err
}
