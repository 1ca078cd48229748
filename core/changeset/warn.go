package changeset

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/core/postgres"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/schema"
	"svc/shared/value"
)

// Warning is something that keeps no set from being published, and that those who publish it should know.
type Warning struct {
	ResourceType string
	ResourceID   string
	Message      string
	Code         string
	ReferencedBy []content.EntryID
}

const (
	codeReferenced = "referenced"

	// maxReferrers bounds the referrers that a warning names, as that of the backlinks of an entry.
	maxReferrers = 200
	// referrerPage is how many of them are read at a time.
	referrerPage = 500
)

// warn warns of entries that the set takes away while live entries outside of it refer to them: those keep the reference, and
// cannot be published again as they are. Only what the actor may see is named. There is no index of references, so the
// published content of collections that may refer to such entries is searched; a set that takes nothing away costs nothing.
func (r *release) warn(ctx context.Context, tx pgx.Tx, actor *access.Actor) ([]Warning, error) {
	w := &warner{release: r, searched: map[content.EntryID][]content.EntryID{}}
	from := map[string]bool{}
	for _, i := range r.items {
		if i.takesAway() {
			w.searched[i.entry], from[i.collection] = nil, true
		}
	}
	if len(w.searched) == 0 {
		return nil, nil
	}
	// A plan that is good for any list of entries would compare them one by one.
	if err := postgres.BeginBulk(ctx, tx); err != nil {
		return nil, err
	}
	for _, d := range r.schemas {
		if access.Confine(actor, d.Schema.Name) == nil && slices.ContainsFunc(d.Schema.Fields, func(f *schema.Field) bool { return refers(f, from) }) {
			if err := w.search(ctx, tx, d); err != nil {
				return nil, fmt.Errorf("looking for referrers in %s: %w", d.Schema.Name, err)
			}
		}
	}
	return w.warnings(), nil
}

// takesAway reports whether the release removes something that is published.
func (i item) takesAway() bool { return i.published != nil && !i.operation.Publishes() }

// warnEarly is warn before the release head is locked, so that other releases need not wait for the search. If one of them came
// meanwhile, the next number is not that of the returned release plus one, and the warnings may not be all.
func (r *release) warnEarly(ctx context.Context, tx pgx.Tx, actor *access.Actor) (found []Warning, newest uint64, err error) {
	if !slices.ContainsFunc(r.items, item.takesAway) {
		return nil, 0, nil
	}
	err = tx.QueryRow(ctx, `SELECT number FROM release_head WHERE project_id = $1`, r.project.ID).Scan(&newest)
	if err != nil {
		return nil, 0, fmt.Errorf("reading the release head: %w", err)
	}
	found, err = r.warn(ctx, tx, actor)
	return found, newest, err
}

// refers reports whether values of a field can refer to entries of these collections.
func refers(f *schema.Field, to map[string]bool) bool {
	inner := func(f *schema.Field) bool { return refers(f, to) }
	switch f.Type {
	case schema.TypeReference:
		return to[f.To]
	case schema.TypeRichText:
		return true
	case schema.TypeList:
		return inner(f.Of)
	case schema.TypeObject:
		return slices.ContainsFunc(f.Fields, inner)
	case schema.TypeBlocks:
		return slices.ContainsFunc(f.Blocks, func(b *schema.Block) bool { return slices.ContainsFunc(b.Fields, inner) })
	}
	return false
}

// warner collects the referrers of the entries that a set takes away. One with more than are named is not searched for any longer.
type warner struct {
	*release
	searched map[content.EntryID][]content.EntryID
}

// search goes through what is published of a collection. The database leaves out what has none of the ids in it.
func (w *warner) search(ctx context.Context, tx pgx.Tx, d *schemadeploy.Deployed) error {
	for after := content.EntryID(""); ; {
		var wanted []string
		for id, found := range w.searched {
			if len(found) <= maxReferrers {
				wanted = append(wanted, string(id))
			}
		}
		if len(wanted) == 0 {
			return nil
		}
		rows, err := tx.Query(ctx, `
			SELECT e.id, r.fields FROM (
				SELECT id, published_revision_id FROM entry
				WHERE project_id = $1 AND collection = $2 AND id > $3 AND published_revision_id IS NOT NULL ORDER BY id OFFSET 0) e
			CROSS JOIN LATERAL (SELECT fields FROM revision WHERE id = e.published_revision_id OFFSET 0) r
			WHERE EXISTS (SELECT FROM unnest(string_to_array(r.fields, 'ent_')) AS part WHERE 'ent_' || left(part, 26) = ANY($4))
			ORDER BY e.id LIMIT $5`, w.project.ID, d.Schema.Name, after, wanted, referrerPage)
		if err != nil {
			return err
		}
		var fields []byte
		read := 0
		_, err = pgx.ForEachRow(rows, []any{&after, &fields}, func() error {
			read++
			return w.note(d.Schema, after, fields)
		})
		if err != nil || read < referrerPage {
			return err
		}
	}
}

func (w *warner) note(c *schema.Collection, referrer content.EntryID, fields jsontext.Value) error {
	if _, staged := w.place[referrer]; staged {
		return nil
	}
	mentions, err := value.MentionsIn(c, schemadeploy.Locales(w.project), fields)
	if err != nil {
		return err
	}
	for _, m := range mentions.References {
		if found, wanted := w.searched[m.Entry]; wanted && !slices.Contains(found, referrer) {
			w.searched[m.Entry] = append(found, referrer)
		}
	}
	return nil
}

// warnings lists what was found by id.
func (w *warner) warnings() []Warning {
	var all []Warning
	for _, id := range slices.Sorted(maps.Keys(w.searched)) {
		found := w.searched[id]
		slices.Sort(found)
		who := fmt.Sprintf("%d live entries refer to it, which", len(found))
		switch {
		case len(found) == 0:
			continue
		case len(found) == 1:
			who = "1 live entry refers to it, which"
		case len(found) > maxReferrers:
			who, found = fmt.Sprintf("more than %d live entries refer to it, which", maxReferrers), found[:maxReferrers]
		}
		all = append(all, Warning{
			ResourceType: string(content.ResourceEntry), ResourceID: string(id), Code: codeReferenced, ReferencedBy: found,
			Message: who + " cannot be published again until the reference is removed",
		})
	}
	return all
}
