// Package demo is the magazine that a fresh deployment starts with: a project with something in it to read, in two
// locales and several releases, so that lists, references, locales and pins have something to show.
//
// It is data before it is code:
//
//	schema/<collection>.ts               one collection each, as "svc schema push" takes them
//	content/<collection>/<slug>.json     one entry each: its field values; a reference is "ref:<collection>/<slug>"
//	releases.json                        which entries go out when, and what later releases change
//
// A singleton's only entry is called after its collection (content/home/home.json). Load reads all of it; Seed puts it into a
// deployment, through the public HTTP API alone.
package demo

import (
	"embed"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
)

//go:embed schema/*.ts content/*/*.json releases.json
var files embed.FS

// The project that Seed makes.
const (
	ProjectSlug   = "magazine"
	ProjectName   = "Ordinary Ground"
	DefaultLocale = "en"
)

// Locales lists the project's locales. Every localized field of every entry is filled in all of them.
func Locales() []string { return []string{"en", "de"} }

// Key names an entry of the demo before it has an id: "articles/windfalls". It never changes, whatever slug a later
// release gives the entry.
type Key string

// Collection returns the name of the entry's collection.
func (k Key) Collection() string {
	collection, _, _ := strings.Cut(string(k), "/")
	return collection
}

// Slug returns the slug the entry starts with.
func (k Key) Slug() string {
	_, slug, _ := strings.Cut(string(k), "/")
	return slug
}

// Content is the whole demo.
type Content struct {
	// Collections are the schemas, sorted by name.
	Collections []*schema.Collection
	// Entries holds the first field values of every entry, as compact JSON with references by key.
	Entries map[Key]jsontext.Value
	// Releases are in the order in which they are published.
	Releases []Release
}

// Collection returns the schema with this name, or nil.
func (c *Content) Collection(name string) *schema.Collection {
	for _, s := range c.Collections {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Release is what one change set carries. Its parts are staged in the order Create, Update, Unpublish, and within
// each as listed, so an entry comes after everything it refers to.
type Release struct {
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Create      []Key    `json:"create"`
	Update      []Update `json:"update"`
	Unpublish   []Key    `json:"unpublish"`
}

// Update changes an entry that an earlier release, or the same one, has created.
type Update struct {
	Entry Key `json:"entry"`
	// Slug is the new slug; empty keeps the old one.
	Slug string `json:"slug"`
	// Summary says why, in the entry's history.
	Summary string `json:"summary"`
	// Data replaces the fields it names; null clears one. References are by key.
	Data jsontext.Value `json:"data"`
}
