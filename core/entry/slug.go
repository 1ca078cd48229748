package entry

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/value"
)

// slugIntent is what a write says about the slug.
type slugIntent struct {
	slug    *string // asked for
	cleared bool    // asked to be derived again
}

// slugIntentOf reads the slug that the caller gives beside the data, or in it under the slug field's key.
func (f frame) slugIntentOf(data jsontext.Value, beside *string) (slugIntent, error) {
	w := slugIntent{slug: beside}
	if beside != nil && !f.schema.HasSlug() {
		return w, fault.Invalid("slug", "entries of %s have no slugs", f.schema.Name)
	}
	if s := f.schema.SlugField(); s != nil {
		members, err := value.Members(data)
		if err != nil {
			return w, err
		}
		for _, m := range members {
			if m.Name != s.Key {
				continue
			}
			if err := w.take(m.Value, "fields."+s.Key); err != nil {
				return w, err
			}
		}
	}
	if w.slug != nil && !schema.IsSlug(*w.slug) {
		return w, badSlug("slug")
	}
	return w, nil
}

// take reads the value of the slug field.
func (w *slugIntent) take(raw jsontext.Value, path string) error {
	if raw.Kind() == 'n' {
		w.cleared = w.slug == nil
		return nil
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil || !schema.IsSlug(string(text)) {
		return badSlug(path)
	}
	slug := string(text)
	if w.slug != nil && *w.slug != slug {
		return fault.Invalid("slug", "says %q while %s says %q; give one of them", *w.slug, path, slug)
	}
	w.slug = &slug
	return nil
}

func badSlug(path string) error {
	const message = "must be a slug: " + schema.SlugRule
	return &fault.Error{
		Code: fault.ValidationFailed, Detail: path + " " + message,
		Items: []fault.Item{{Path: path, Code: string(schema.CodeSlug), Message: message}},
	}
}

// derive returns the slug that comes from the content; empty where nothing does.
func (f frame) derive(fields jsontext.Value) (string, error) {
	source := f.schema.SlugSource()
	if s := f.schema.SlugField(); source == "" || s != nil && source == s.Key {
		return "", nil
	}
	raw, err := value.Read(f.schema, f.locales, "", fields, source)
	if err != nil || raw == nil {
		return "", err
	}
	switch raw.Kind() {
	case '"':
		text, err := jsontext.AppendUnquote(nil, raw)
		return value.Slugify(string(text)), err
	case '0':
		return value.Slugify(string(raw)), nil
	}
	return "", nil
}

// underived says of a required slug that is missing why none was derived.
func (f frame) underived(items []fault.Item, fields jsontext.Value) error {
	s, source := f.schema.SlugField(), f.schema.SlugSource()
	for n, i := range items {
		if s == nil || i.Path != "fields."+s.Key || i.Code != string(schema.CodeRequired) || source == s.Key {
			continue
		}
		raw, err := value.Read(f.schema, f.locales, "", fields, source)
		switch {
		case err != nil:
			return err
		case raw == nil:
			items[n].Message = fmt.Sprintf("is required: give one, or a %s to derive it from", source)
		default:
			items[n].Message = fmt.Sprintf("is required, and none can be derived from %s, which is %s: give one", source, schema.Show(string(raw)))
		}
	}
	return nil
}

// numbered returns the n-th choice for a derived slug: itself, then with -2, -3 and so on.
func numbered(slug string, n int) string {
	if n == 1 {
		return slug
	}
	suffix := fmt.Sprintf("-%d", n)
	if most := schema.MaxSlugLength - len(suffix); len(slug) > most {
		slug = strings.TrimRight(slug[:most], "-")
	}
	return slug + suffix
}

// Joins of slugs w with who has them, each by an index that is made for it (migration 7), and of staged ones with their entry; $1 is the
// project and $2 the collection.
const (
	publishedAs = `CROSS JOIN LATERAL (
		SELECT id FROM entry WHERE project_id || '/' || collection || '/' || published_slug = $1::text || '/' || $2 || '/' || w.slug
		OFFSET 0) e`
	draftedAs = `CROSS JOIN LATERAL (
		SELECT id FROM entry WHERE project_id || '/' || collection || '/' || draft_slug = $1::text || '/' || $2 || '/' || w.slug
		  AND published_revision_id IS NULL AND deleted_at IS NULL OFFSET 0) e`
	stagedAs = `CROSS JOIN LATERAL (
		SELECT resource_id, change_set_id, collection FROM change_set_item WHERE CASE WHEN live THEN slug END = w.slug OFFSET 0) i`
	entryOf = `CROSS JOIN LATERAL (SELECT id, project_id, deleted_at FROM entry WHERE id = i.resource_id OFFSET 0) e`
)

// setSlug is a slug that a set is to propose.
type setSlug struct {
	set   content.ChangeSetID // empty: one that stages nothing yet
	slug  string
	owner content.EntryID // whose slug it is to be, and who is no holder of it; empty: no one is left out
}

// holders returns who would have these slugs after their set is published alone: entries of the set, and published
// ones that the set leaves alone.
func holders(ctx context.Context, tx pgx.Tx, project content.ProjectID, collection string, wanted ...setSlug) (map[setSlug]content.EntryID, error) {
	taken := map[setSlug]content.EntryID{}
	if len(wanted) == 0 {
		return taken, nil
	}
	sets, slugs, owners := make([]content.ChangeSetID, len(wanted)), make([]string, len(wanted)), make([]content.EntryID, len(wanted))
	for i, w := range wanted {
		sets[i], slugs[i], owners[i] = w.set, w.slug, w.owner
	}
	rows, err := tx.Query(ctx, `
		SELECT w.change_set, w.slug, w.owner, e.id FROM unnest($3::text[], $4::text[], $5::text[]) AS w(change_set, slug, owner) `+publishedAs+`
		LEFT JOIN change_set_item i ON i.change_set_id = w.change_set AND i.resource_type = 'entry' AND i.resource_id = e.id
		WHERE i.resource_id IS NULL AND e.id <> w.owner
		UNION ALL
		SELECT w.change_set, w.slug, w.owner, i.resource_id FROM unnest($3::text[], $4::text[], $5::text[]) AS w(change_set, slug, owner) `+stagedAs+`
		WHERE i.change_set_id = w.change_set AND i.collection = $2 AND i.resource_id <> w.owner`, project, collection, sets, slugs, owners)
	if err != nil {
		return nil, fmt.Errorf("looking for taken slugs: %w", err)
	}
	var w setSlug
	var id content.EntryID
	_, err = pgx.ForEachRow(rows, []any{&w.set, &w.slug, &w.owner, &id}, func() error {
		taken[w] = id
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for taken slugs: %w", err)
	}
	return taken, nil
}

// slugFor settles the slug of one entry: the one asked for, else the one it has, else one derived from its content
// that no one has. A slug asked for that another entry has is CONFLICT.
func (f frame) slugFor(ctx context.Context, tx pgx.Tx, p content.ProjectID, set content.ChangeSetID, h *head, w slugIntent, fields jsontext.Value) (*string, error) {
	on, self := h.on, h.id
	if !f.schema.HasSlug() {
		return nil, nil
	}
	if w.slug == nil && !w.cleared && on.slug != nil {
		return on.slug, nil
	}
	if w.slug != nil {
		if on.slug != nil && *on.slug == *w.slug {
			return w.slug, nil
		}
		wanted := setSlug{set: set, slug: *w.slug}
		taken, err := holders(ctx, tx, p, f.schema.Name, wanted)
		if holder, held := taken[wanted]; held && holder != self {
			return nil, slugTaken(*w.slug, holder, on.slug)
		}
		return w.slug, err
	}
	base, err := f.derive(fields)
	if err != nil || base == "" {
		return nil, err
	}
	slug, err := f.firstFree(ctx, tx, p, set, self, base)
	return &slug, err
}

// firstFree tries the choices for a derived slug, a growing run of them at a time.
func (f frame) firstFree(ctx context.Context, tx pgx.Tx, p content.ProjectID, set content.ChangeSetID, self content.EntryID, base string) (string, error) {
	for first, run := 1, 8; ; first, run = first+run, run*8 {
		choices := make([]string, run)
		for i := range choices {
			choices[i] = numbered(base, first+i)
		}
		taken, err := f.taken(ctx, tx, p, set, self, choices)
		if err != nil {
			return "", err
		}
		for _, choice := range choices {
			if !taken[choice] {
				return choice, nil
			}
		}
	}
}

// taken returns which of these slugs others have: published ones that the set leaves alone, those of drafts, and those that open and
// ready sets propose. Nothing keeps drafts from having one slug; but where there is a choice, the second to publish should not fail.
func (f frame) taken(ctx context.Context, tx pgx.Tx, p content.ProjectID, set content.ChangeSetID, self content.EntryID, slugs []string) (map[string]bool, error) {
	rows, _ := tx.Query(ctx, `
		SELECT w.slug FROM unnest($3::text[]) AS w(slug) `+publishedAs+`
		LEFT JOIN change_set_item i ON i.change_set_id = $4 AND i.resource_type = 'entry' AND i.resource_id = e.id
		WHERE i.resource_id IS NULL AND e.id <> $5
		UNION SELECT w.slug FROM unnest($3::text[]) AS w(slug) `+draftedAs+` WHERE e.id <> $5
		UNION SELECT w.slug FROM unnest($3::text[]) AS w(slug) `+stagedAs+`
		`+entryOf+` WHERE i.collection = $2 AND e.project_id = $1 AND e.id <> $5`,
		p, f.schema.Name, slugs, set, self) // reading the rows tells its error too
	taken := map[string]bool{}
	var slug string
	_, err := pgx.ForEachRow(rows, []any{&slug}, func() error {
		taken[slug] = true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for a free slug: %w", err)
	}
	return taken, nil
}

// slugTaken is the refusal of a slug that another entry has; own is the slug that the entry of the write has now.
func slugTaken(slug string, holder content.EntryID, own *string) error {
	f := fault.New(fault.Conflict, "the slug %q is that of the entry %s", slug, holder)
	if own != nil {
		f.Detail += fmt.Sprintf("; to swap slugs, in one change set give %s another slug, then this entry %q, then %s %q",
			holder, slug, holder, *own)
	}
	f.EntryIDs = []string{string(holder)}
	return f
}
