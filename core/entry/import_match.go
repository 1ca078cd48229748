package entry

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/core/changeset"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

// importer stages the rows of one import.
type importer struct {
	actor     *access.Actor
	target    *changeset.Target
	frame     frame
	options   ImportOptions
	singleton content.EntryID // the item of a singleton, if there is one

	slugs map[string]slugOwner     // what is known of slugs
	spent map[string]bool          // slugs that rows of this import have taken
	done  map[content.EntryID]bool // entries that rows of this import are about

	out      *Imported
	problems []problem
}

// slugOwner says whose a slug is: in the set or published, which excludes others; or only in a draft.
type slugOwner struct{ holder, drafted content.EntryID }

// learn reads about the slugs that are not known yet.
func (i *importer) learn(ctx context.Context, tx pgx.Tx, slugs ...string) error {
	var unknown []string
	for _, slug := range slugs {
		if _, known := i.slugs[slug]; !known && slug != "" {
			i.slugs[slug] = slugOwner{}
			unknown = append(unknown, slug)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	p, name := i.target.Project.ID, i.frame.schema.Name
	taken, err := holders(ctx, tx, p, name, i.target.Set.ID, unknown)
	if err != nil {
		return err
	}
	for slug, id := range taken {
		i.slugs[slug] = slugOwner{holder: id}
	}
	rows, err := tx.Query(ctx, `
		SELECT w.slug, e.id FROM unnest($3::text[]) AS w(slug) `+publishedAs+` WHERE e.collection = $2
		UNION ALL SELECT w.slug, e.id FROM unnest($3::text[]) AS w(slug) `+draftedAs+` WHERE e.collection = $2`,
		p, name, unknown)
	if err != nil {
		return fmt.Errorf("matching rows by slug: %w", err)
	}
	var slug string
	var id content.EntryID
	_, err = pgx.ForEachRow(rows, []any{&slug, &id}, func() error {
		owner := i.slugs[slug]
		owner.drafted = id
		i.slugs[slug] = owner
		return nil
	})
	if err != nil {
		return fmt.Errorf("matching rows by slug: %w", err)
	}
	return nil
}

// plan is what a row is to become.
type plan struct {
	number     int
	row        ImportRow
	slugIntent slugIntent
	entry      content.EntryID // empty: a new one
	slug       *string         // settled by matching; nil: as the entry has it
}

// match finds the entry of every row; rows with problems are left out.
func (i *importer) match(ctx context.Context, tx pgx.Tx, first int, rows []ImportRow) ([]plan, error) {
	plans := make([]plan, 0, len(rows))
	wanted := make([]string, 0, len(rows))
	for n, row := range rows {
		p := plan{number: first + n, row: row}
		base, err := i.read(&p)
		if err != nil {
			var f *fault.Error
			if !errors.As(err, &f) {
				return nil, err
			}
			i.problem(p.number, f.Items...)
			continue
		}
		plans, wanted = append(plans, p), append(wanted, base)
	}
	if err := i.learn(ctx, tx, wanted...); err != nil {
		return nil, err
	}
	matched := plans[:0]
	for n, p := range plans {
		if err := i.settle(ctx, tx, &p, wanted[n]); err != nil {
			return nil, err
		}
		if p.number >= 0 {
			matched = append(matched, p)
		}
	}
	return matched, nil
}

// read checks a row by itself and returns the slug that it asks for, or that its data gives.
func (i *importer) read(p *plan) (slug string, err error) {
	if p.row.Data, err = (Write{Data: p.row.Data, ChangeSummary: p.row.ChangeSummary}).check(); err != nil {
		return "", err
	}
	if p.slugIntent, err = i.frame.slugIntentOf(p.row.Data, p.row.Slug); err != nil {
		return "", err
	}
	if id := p.row.ID; id != "" && !content.IsID[content.EntryID](string(id)) {
		return "", fault.Invalid("id", "must be the id of an entry: ent_ and 26 characters")
	}
	if p.slugIntent.slug != nil {
		return *p.slugIntent.slug, nil
	}
	if p.row.ID != "" || !i.frame.schema.HasSlug() {
		return "", nil
	}
	return i.frame.derive(p.row.Data)
}

// settle decides which entry a row is about and which slug it gets. A row with a problem gets the number -1.
func (i *importer) settle(ctx context.Context, tx pgx.Tx, p *plan, base string) error {
	refuse := func(path string, code schema.Code, format string, args ...any) {
		i.problem(p.number, fault.Item{Path: path, Code: string(code), Message: fmt.Sprintf(format, args...)})
		p.number = -1
	}
	p.entry = p.row.ID
	switch {
	case i.frame.schema.Kind == schema.KindSingleton:
		if p.number > 0 {
			refuse("", schema.CodeTooMany, "a singleton has one item")
			return nil
		}
		p.entry = i.singleton
	case base == "" || p.row.ID != "":
	default:
		if err := i.bySlug(ctx, tx, p, base); err != nil {
			return err
		}
	}
	if p.slugIntent.slug != nil {
		p.slug = p.slugIntent.slug
	}
	if p.entry != "" && i.done[p.entry] {
		refuse("id", schema.CodeDuplicate, "another row is about the same entry, %s", p.entry)
		return nil
	}
	if p.slug != nil {
		if holder := i.slugs[*p.slug].holder; i.spent[*p.slug] || holder != "" && holder != p.entry {
			refuse("slug", schema.CodeDuplicate, "the slug %q is that of another entry", *p.slug)
			return nil
		}
		i.spent[*p.slug] = true
	}
	if p.entry != "" {
		i.done[p.entry] = true
	}
	return nil
}

// bySlug finds the entry that has a slug. Of a slug that was derived it takes the first choice that no other row has
// taken, so that importing the same rows again finds the same entries.
func (i *importer) bySlug(ctx context.Context, tx pgx.Tx, p *plan, base string) error {
	for n := 1; ; n++ {
		slug := numbered(base, n)
		if err := i.learn(ctx, tx, slug); err != nil {
			return err
		}
		owner := i.slugs[slug]
		entry := owner.holder
		if entry == "" {
			entry = owner.drafted
		}
		if p.slugIntent.slug == nil && (i.spent[slug] || i.done[entry]) {
			continue
		}
		p.entry, p.slug = entry, &slug
		return nil
	}
}
