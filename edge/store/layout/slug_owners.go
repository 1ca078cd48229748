package layout

import (
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"
)

// SlugOwners are the ids of the projects whose settings in force have a slug; who took it last comes last, and answers to it. There
// are several while the log of one is ahead of another's, and where a database that went back lost the log of one. The value of
// TableProjectSlug parts them by spaces.
type SlugOwners []string

// OwnersOf reads who has a slug; none where there is no row.
func OwnersOf(src pebble.Reader, slug string) (SlugOwners, error) {
	value, err := Get(src, Global.Text(nil, TableProjectSlug, slug))
	return strings.Fields(string(value)), err
}

// Value writes the row.
func (o SlugOwners) Value() []byte { return []byte(strings.Join(o, " ")) }

// Without returns the others.
func (o SlugOwners) Without(id string) SlugOwners {
	return slices.DeleteFunc(o, func(other string) bool { return other == id })
}

// Last returns who took the slug last.
func (o SlugOwners) Last() string { return o[len(o)-1] }
