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

// pathOf adds the place that a pointer into JSON names to what the whole is called.
func pathOf(path string, at jsontext.Pointer) string {
	for token := range at.Tokens() {
		if _, notNumber := strconv.ParseUint(token, 10, 31); notNumber == nil {
			path += "[" + token + "]"
		} else {
			path = join(path, schema.Show(token))
		}
	}
	if len(path) > maxPath {
		return strings.ToValidUTF8(path[:maxPath], "") + "…"
	}
	return path
}

// maxPath bounds a path whose names the caller made up.
const maxPath = 200

// memberOf returns the member of an object with this name, or nil.
func memberOf(raw jsontext.Value, name string) (jsontext.Value, error) {
	if raw.Kind() != '{' {
		return nil, nil
	}
	c := openObject(raw)
	for c.next() {
		if string(c.name) == name {
			return c.value, nil
		}
	}
	return nil, c.err
}
