package schemadeploy

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/schema"
	"svc/shared/value"
)

// Bounds of what Translations lists for each locale; everything is counted.
const (
	maxMissing  = 10 // fields
	maxWorklist = 25 // entries
)

// Coverage says how far the entries of a collection are translated, by what editors work on: the draft of each entry,
// else what is published of it.
type Coverage struct {
	Entries int
	Fields  []string         // the localized ones
	Locales []LocaleCoverage // in the order of the project's
}

// LocaleCoverage is how far a locale is. A field is filled where it has a value in that very locale, whatever readers
// would fall back to; empty text, an empty list and an empty object are none.
type LocaleCoverage struct {
	Locale   string
	Complete int            // entries with every localized field filled
	Percent  float64        // filled of all entries times localized fields; 100 only where none is missing
	Missing  []MissingField // the most often missing ones first
	Worklist []MissingEntry // the first incomplete entries, oldest first
}

// MissingField is a field with the number of entries that lack it.
type MissingField struct {
	Field   string
	Entries int
}

// MissingEntry is an entry with the fields that it lacks.
type MissingEntry struct {
	Entry  content.EntryID
	Slug   *string
	Fields []string
}

// Translations reads how far a collection is translated; NOT_FOUND where there is none.
func Translations(ctx context.Context, pool *pgxpool.Pool, id content.ProjectID, collection string) (*Coverage, error) {
	var out *Coverage
	err := postgres.ReadTx(ctx, pool, func(tx pgx.Tx) error {
		p, err := project.Get(ctx, tx, string(id))
		if err != nil {
			return err
		}
		d, err := Get(ctx, tx, id, collection)
		if err != nil {
			return err
		}
		t := newTally(d.Schema, Locales(p))
		if err := workingHead.walk(ctx, tx, id, collection, nil, t.heads); err != nil {
			return err
		}
		out = t.coverage()
		return nil
	})
	return out, err
}

// tally counts what is filled.
type tally struct {
	schema  *schema.Collection
	locales value.Locales
	fields  []*schema.Field // the localized ones
	entries int
	by      []localeTally // by locale
	row     []bool        // what the entry at hand has: locale after locale, field after field
}

type localeTally struct {
	complete int
	missing  []int // by field
	worklist []MissingEntry
}

func newTally(c *schema.Collection, locales value.Locales) *tally {
	t := &tally{schema: c, locales: locales, by: make([]localeTally, len(locales.Codes))}
	for _, f := range c.Fields {
		if f.Localized {
			t.fields = append(t.fields, f)
		}
	}
	for i := range t.by {
		t.by[i].missing = make([]int, len(t.fields))
	}
	t.row = make([]bool, len(t.by)*len(t.fields))
	return t
}

func (t *tally) heads(some []head) error {
	for _, h := range some {
		t.entries++
		clear(t.row)
		if h.revision != "" {
			if err := t.read(h.fields); err != nil {
				return fmt.Errorf("reading revision %s: %w", h.revision, err)
			}
		}
		for i := range t.by {
			t.count(i, h)
		}
	}
	return nil
}

// read notes what an entry has.
func (t *tally) read(fields jsontext.Value) error {
	members, err := value.Members(fields)
	if err != nil {
		return err
	}
	for _, m := range members {
		n := slices.IndexFunc(t.fields, func(f *schema.Field) bool { return f.Key == m.Name })
		if n < 0 {
			continue
		}
		isMap, err := t.locales.IsMap(t.fields[n], m.Value)
		if err != nil {
			return err
		}
		if !isMap {
			t.note(t.locales.Default, n, m.Value)
			continue
		}
		values, err := value.Members(m.Value)
		if err != nil {
			return err
		}
		for _, v := range values {
			t.note(v.Name, n, v.Value)
		}
	}
	return nil
}

func (t *tally) note(locale string, field int, raw jsontext.Value) {
	if i := slices.Index(t.locales.Codes, locale); i >= 0 {
		t.row[i*len(t.fields)+field] = filled(raw)
	}
}

func filled(raw jsontext.Value) bool {
	switch string(raw) {
	case "", "null", `""`, "[]", "{}":
		return false
	}
	return true
}

// count adds the entry at hand to a locale.
func (t *tally) count(locale int, h head) {
	by := &t.by[locale]
	var lacks []string
	for n, has := range t.row[locale*len(t.fields):][:len(t.fields)] {
		if !has {
			by.missing[n]++
			lacks = append(lacks, t.fields[n].Key)
		}
	}
	switch {
	case len(lacks) == 0:
		by.complete++
	case len(by.worklist) < maxWorklist:
		by.worklist = append(by.worklist, MissingEntry{h.entry, h.slug, lacks})
	}
}

func (t *tally) coverage() *Coverage {
	out := &Coverage{Entries: t.entries, Fields: []string{}, Locales: []LocaleCoverage{}}
	for _, f := range t.fields {
		out.Fields = append(out.Fields, f.Key)
	}
	cells := t.entries * len(t.fields)
	for i, by := range t.by {
		c := LocaleCoverage{Locale: t.locales.Codes[i], Complete: by.complete, Percent: 100, Worklist: by.worklist}
		gaps := 0
		for n, entries := range by.missing {
			if gaps += entries; entries > 0 {
				c.Missing = append(c.Missing, MissingField{out.Fields[n], entries})
			}
		}
		slices.SortStableFunc(c.Missing, func(a, b MissingField) int { return cmp.Compare(b.Entries, a.Entries) })
		c.Missing = c.Missing[:min(len(c.Missing), maxMissing)]
		if gaps > 0 { // rounded down, so that what is missing shows
			c.Percent = math.Floor(1000*float64(cells-gaps)/float64(cells)) / 10
		}
		out.Locales = append(out.Locales, c)
	}
	return out
}
