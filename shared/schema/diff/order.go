package diff

import (
	"slices"
	"strings"

	"svc/shared/schema"
)

// sameOrder reports whether what is in both lists stands in the same order, and what is new stands at the end or
// between without moving anything.
func sameOrder(old, now []string) bool {
	return slices.Equal(common(old, now), common(now, old))
}

// common returns the members of list that other has too.
func common(list, other []string) []string {
	in := setOf(other)
	var kept []string
	for _, key := range list {
		if in[key] {
			kept = append(kept, key)
		}
	}
	return kept
}

// setOf is a list to look members up in: lists may be long.
func setOf(list []string) map[string]bool {
	in := make(map[string]bool, len(list))
	for _, s := range list {
		in[s] = true
	}
	return in
}

func keysOf(fields schema.Fields) []string {
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.Key
	}
	return keys
}

func blockKeys(f *schema.Field) []string {
	keys := make([]string, len(f.Blocks))
	for i, b := range f.Blocks {
		keys[i] = b.Key
	}
	return keys
}

func trimDot(prefix string) string { return strings.TrimSuffix(prefix, ".") }
