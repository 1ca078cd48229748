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
	Coverage
	locales value.Locales
	fields  []*schema.Field // the localized ones
}

func newTally(c *schema.Collection, locales value.Locales) *tally {
	t := &tally{locales: locales, Coverage: Coverage{Fields: []string{}, Locales: []LocaleCoverage{}}}
	for _, f := range c.Fields {
		if f.Localized {
			t.fields, t.Fields = append(t.fields, f), append(t.Fields, f.Key)
		}
	}
	for _, code := range locales.Codes {
		l := LocaleCoverage{Locale: code, Percent: 100}
		for _, key := range t.Fields {
			l.Missing = append(l.Missing, MissingField{Field: key})
		}
		t.Locales = append(t.Locales, l)
	}
	return t
}

func (t *tally) heads(some []head) error {
	for _, h := range some {
		has := map[[2]string]bool{}
		if h.revision != "" {
			if err := t.read(h.fields, has); err != nil {
				return fmt.Errorf("reading revision %s: %w", h.revision, err)
			}
		}
		t.Entries++
		for i := range t.Locales {
			t.Locales[i].count(h, has)
		}
	}
	return nil
}

// read notes what an entry has, by locale and field.
func (t *tally) read(fields jsontext.Value, has map[[2]string]bool) error {
	members, err := value.Members(fields)
	if err != nil {
		return err
	}
	for _, f := range t.fields {
		raw := member(members, f.Key)
		if raw == nil {
			continue
		}
		isMap, err := t.locales.IsMap(f, raw)
		if err != nil {
			return err
		}
		values := []value.Member{{Name: t.locales.Default, Value: raw}}
		if isMap {
			if values, err = value.Members(raw); err != nil {
				return err
			}
		}
		for _, v := range values {
			has[[2]string{v.Name, f.Key}] = filled(v.Value)
		}
	}
	return nil
}

func filled(raw jsontext.Value) bool {
	switch string(raw) {
	case "", "null", `""`, "[]", "{}":
		return false
	}
	return true
}

// count adds an entry to a locale.
func (l *LocaleCoverage) count(h head, has map[[2]string]bool) {
	var lacks []string
	for i := range l.Missing {
		if f := &l.Missing[i]; !has[[2]string{l.Locale, f.Field}] {
			f.Entries++
			lacks = append(lacks, f.Field)
		}
	}
	switch {
	case len(lacks) == 0:
		l.Complete++
	case len(l.Worklist) < maxWorklist:
		l.Worklist = append(l.Worklist, MissingEntry{h.entry, h.slug, lacks})
	}
}

// coverage sums up.
func (t *tally) coverage() *Coverage {
	for i := range t.Locales {
		l := &t.Locales[i]
		gaps := 0
		for _, f := range l.Missing {
			gaps += f.Entries
		}
		if gaps > 0 { // rounded down, so that what is missing shows
			cells := t.Entries * len(t.Fields)
			l.Percent = math.Floor(1000*float64(cells-gaps)/float64(cells)) / 10
		}
		l.Missing = slices.DeleteFunc(l.Missing, func(f MissingField) bool { return f.Entries == 0 })
		slices.SortStableFunc(l.Missing, func(a, b MissingField) int { return cmp.Compare(b.Entries, a.Entries) })
		l.Missing = l.Missing[:min(len(l.Missing), maxMissing)]
	}
	return &t.Coverage
}
