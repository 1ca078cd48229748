package inprocess

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/read/readtest"
	"svc/shared/schema"
)

// form is a collection as it is deployed, or about to be.
type form struct {
	name      string
	label     string
	private   bool
	singleton bool
	slugs     bool
	reversed  bool     // all fields after the slug stand the other way round
	hinted    bool     // the hint is localized
	extra     []string // fields that came later
	removed   []string // fields that were among those
	gone      bool     // the collection was removed
	versions  []string
}

// Every collection has these fields; then the extra ones.
const (
	fieldTitle  = "title"
	fieldNumber = "number"
	fieldBody   = "body"
	fieldNote   = "note" // localized
	fieldHint   = "hint" // localized at some time
)

func (f *form) canonical() string {
	var b strings.Builder
	kind, visibility := "collection", "public"
	if f.singleton {
		kind = "singleton"
	}
	if f.private {
		visibility = "private"
	}
	fmt.Fprintf(&b, `{"name":%q,"label":%q,"kind":%q,"visibility":%q,"titleField":"title","fields":{`, f.name, f.label, kind, visibility)
	for i, key := range f.keys() {
		if i == 1 && f.slugs {
			b.WriteString(`,"slug":{"type":"slug","from":"title"}`)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", key, f.field(key))
	}
	b.WriteString("}}")
	return b.String()
}

func (f *form) field(key string) string {
	switch {
	case key == fieldTitle:
		return `{"type":"text","required":true}`
	case key == fieldNumber:
		return `{"type":"number"}`
	case key == fieldBody:
		return `{"type":"markdown"}`
	case f.localized(key):
		return `{"type":"text","localized":true}`
	}
	return fmt.Sprintf(`{"type":"text","maxLength":%d}`, 100+len(key))
}

func (f *form) localized(key string) bool { return key == fieldNote || key == fieldHint && f.hinted }

// version is what the model calls the form as it is: the same number for the same fields and options.
func (f *form) version() (readtest.Version, error) {
	text := f.canonical()
	c, err := schema.Parse([]byte(text))
	if err != nil {
		return readtest.Version{}, err
	}
	at := slices.Index(f.versions, c.Hash())
	if at < 0 {
		at = len(f.versions)
		f.versions = append(f.versions, c.Hash())
	}
	return readtest.Version{Name: f.name, Version: uint32(at + 1), Canonical: c.Canonical(), Label: f.label}, nil
}

// keys are the fields in order, apart from the slug.
func (f *form) keys() []string {
	rest := append([]string{fieldNumber, fieldBody, fieldNote, fieldHint}, f.extra...)
	if f.reversed {
		slices.Reverse(rest)
	}
	return append([]string{fieldTitle}, rest...)
}

// document is an entry as it was published last, or as a change set proposes it.
type document struct {
	id         string
	collection string
	live       bool
	slug       string
	fields     map[string]string // JSON by key; unset ones are not there
	revision   string
}

func (d *document) clone() *document {
	c := *d
	c.fields = maps.Clone(d.fields)
	return &c
}

// stored is the content as it is stored under a form.
func (d *document) stored(f *form) string {
	var members []string
	for _, key := range f.keys() {
		if value, set := d.fields[key]; set {
			members = append(members, fmt.Sprintf("%q:%s", key, value))
		}
		if key == fieldTitle && d.slug != "" {
			members = append(members, fmt.Sprintf(`"slug":%q`, d.slug))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// prune forgets the values that a write drops: those of fields that the form does not have.
func (d *document) prune(f *form) {
	keys := f.keys()
	maps.DeleteFunc(d.fields, func(key, _ string) bool { return !slices.Contains(keys, key) })
}

// data is what a write says to make the content what it is: every field, those without a value null.
func (d *document) data(f *form) jsontext.Value {
	var members []string
	for _, key := range f.keys() {
		value, set := d.fields[key]
		if !set {
			value = "null"
		}
		members = append(members, fmt.Sprintf("%q:%s", key, value))
	}
	return jsontext.Value("{" + strings.Join(members, ",") + "}")
}
