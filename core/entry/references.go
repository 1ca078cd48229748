package entry

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/core/postgres"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/schema"
	"svc/shared/value"
)

// References are those of an entry in both directions (interface, "Entry and change-set routes").
type References struct {
	ReferencedBy []Referrer // live entries, newest first, at most maxReferrers
	References   []Referred // what its draft or its published revision refers to, in the order of the fields
}

// Referrer is an entry that refers to another one, in its newest draft, in what is published of it, or in both.
type Referrer struct {
	ID          content.EntryID
	Collection  string
	Slug        *string // of the draft
	InDraft     bool
	InPublished bool
}

// Referred is what an entry refers to.
type Referred struct {
	ID         content.EntryID
	Collection string  // empty where it does not exist
	Slug       *string // of the draft; nil where it does not exist
	Exists     bool    // and is not deleted
	Published  bool
}

// maxReferrers bounds a list of referrers, as that of public backlinks.
const maxReferrers = 200

// ReferencesOf returns what refers to an entry, and what it refers to. Collections that the actor may not see are left out of the
// referrers. There is no index of the references of drafts, so the heads of all entries of the project are looked through.
func ReferencesOf(ctx context.Context, q postgres.Querier, actor *access.Actor, p *project.Project, id string) (*References, error) {
	e, err := read(ctx, q, p.ID, id)
	if err != nil {
		return nil, err
	}
	if err := access.Confine(actor, e.Collection); err != nil {
		return nil, err
	}
	deployed, err := visible(ctx, q, actor, p.ID, "")
	if err != nil {
		return nil, err
	}
	own, err := schemadeploy.Get(ctx, q, p.ID, e.Collection)
	if err != nil {
		return nil, err
	}
	out := &References{}
	if out.References, err = referred(ctx, q, p, own, e); err != nil {
		return nil, err
	}
	out.ReferencedBy, err = referrers(ctx, q, p, deployed, e.ID)
	return out, err
}

func referred(ctx context.Context, q postgres.Querier, p *project.Project, own *schemadeploy.Deployed, e *Entry) ([]Referred, error) {
	var ids []content.EntryID
	for _, r := range []*Revision{e.Draft, e.Published} {
		if r == nil {
			continue
		}
		named, err := value.MentionsIn(own.Schema, schemadeploy.Locales(p), r.Fields)
		if err != nil {
			return nil, fmt.Errorf("reading the references of %s: %w", e.ID, err)
		}
		for _, m := range named.References {
			if !slices.Contains(ids, m.Entry) {
				ids = append(ids, m.Entry)
			}
		}
	}
	targets, err := schemadeploy.Targets(ctx, q, p.ID, ids)
	if err != nil {
		return nil, err
	}
	out := make([]Referred, len(ids))
	for i, id := range ids {
		to := targets[id]
		exists := to.Collection != "" && !to.Deleted && !to.Removed
		out[i] = Referred{ID: id, Exists: exists, Published: exists && to.Published}
		if exists {
			out[i].Collection, out[i].Slug = to.Collection, to.Slug
		}
	}
	return out, nil
}

// referrerRows are the live entries of some collections whose heads have an id in them, perhaps as a part of a text.
const referrerRows = `
	SELECT e.id, e.collection, d.slug, d.fields, p.fields FROM entry e
	LEFT JOIN revision d ON d.id = e.draft_revision_id LEFT JOIN revision p ON p.id = e.published_revision_id
	WHERE e.project_id = $1 AND e.collection = ANY($2) AND e.deleted_at IS NULL
	  AND (strpos(d.fields, $3) > 0 OR strpos(p.fields, $3) > 0)
	ORDER BY e.id DESC`

func referrers(ctx context.Context, q postgres.Querier, p *project.Project, deployed schemadeploy.Set, to content.EntryID) ([]Referrer, error) {
	var collections []string
	for _, d := range deployed {
		if value.MayMention(d.Schema) {
			collections = append(collections, d.Schema.Name)
		}
	}
	rows, err := q.Query(ctx, referrerRows, p.ID, collections, to)
	if err != nil {
		return nil, fmt.Errorf("looking for referrers: %w", err)
	}
	defer rows.Close()
	found := []Referrer{}
	for len(found) < maxReferrers && rows.Next() {
		one, err := scanReferrer(rows, p, deployed, to)
		if err != nil {
			return nil, fmt.Errorf("looking for referrers: %w", err)
		}
		if one.InDraft || one.InPublished {
			found = append(found, one)
		}
	}
	rows.Close()
	return found, postgres.Unavailable(rows.Err())
}

// scanReferrer says which heads of an entry refer to another one.
func scanReferrer(row pgx.CollectableRow, p *project.Project, deployed schemadeploy.Set, to content.EntryID) (r Referrer, err error) {
	var draft, published []byte
	if err := row.Scan(&r.ID, &r.Collection, &r.Slug, &draft, &published); err != nil {
		return r, err
	}
	c := deployed.Get(r.Collection).Schema
	if r.InDraft, err = refersTo(c, p, draft, to); err == nil {
		r.InPublished, err = refersTo(c, p, published, to)
	}
	return r, err
}

func refersTo(c *schema.Collection, p *project.Project, fields jsontext.Value, to content.EntryID) (bool, error) {
	if fields == nil {
		return false, nil
	}
	named, err := value.MentionsIn(c, schemadeploy.Locales(p), fields)
	return slices.ContainsFunc(named.References, func(r value.Reference) bool { return r.Entry == to }), err
}
