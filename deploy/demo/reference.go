package demo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// refPrefix marks a string value as a reference to another entry of the demo.
const refPrefix = "ref:"

// parseReference returns the key that a reference names.
func parseReference(s string) (Key, bool) {
	key, ok := strings.CutPrefix(s, refPrefix)
	return Key(key), ok
}

// resolve copies JSON and puts what id returns in the place of every reference.
func resolve(data jsontext.Value, id func(Key) (string, error)) (jsontext.Value, error) {
	var out bytes.Buffer
	in, enc := jsontext.NewDecoder(bytes.NewReader(data)), jsontext.NewEncoder(&out)
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSpace(out.Bytes()), nil
		}
		if err != nil {
			return nil, err
		}
		if token.Kind() == '"' {
			if key, ok := parseReference(token.String()); ok {
				s, err := id(key)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", in.StackPointer(), err)
				}
				token = jsontext.String(s)
			}
		}
		if err := enc.WriteToken(token); err != nil {
			return nil, err
		}
	}
}

// references lists the entries that field values refer to, in order, without duplicates.
func references(data jsontext.Value) ([]Key, error) {
	var keys []Key
	seen := map[Key]bool{}
	_, err := resolve(data, func(k Key) (string, error) {
		if !seen[k] {
			seen[k] = true
			keys = append(keys, k)
		}
		return "", nil
	})
	return keys, err
}
