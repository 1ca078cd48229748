package changelog_test

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/access"
	"svc/core/account"
	"svc/core/changelog"
	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/postgres/postgrestest"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/replication/record"
	"svc/shared/content"
)

const pages = `{"name": "pages", "visibility": "public", "titleField": "title", "fields": {
	"title": {"type": "text", "required": true}, "slug": {"type": "slug", "from": "title"}}}`

// What the domain puts into logs reads back as what its digests promised: encoding proves that.
func TestEveryChangeOfTheDomainCanBeSent(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	pool := postgrestest.Open(t)
	actor := access.System()
	org, err := account.Bootstrap(ctx, pool, account.NewOrganization{Slug: "acme"}, "first")
	ok(err)
	p, err := project.Create(ctx, pool, actor, org.Organization.ID, project.NewProject{Slug: "site"})
	ok(err)
	_, err = schemadeploy.Push(ctx, pool, actor, p.ID, schemadeploy.Proposal{Collections: []jsontext.Value{jsontext.Value(pages)}})
	ok(err)
	publish := func(set content.ChangeSetID) {
		t.Helper()
		_, err := changeset.Publish(ctx, pool, actor, p.ID, string(set), true)
		ok(err)
	}
	set, err := changeset.Create(ctx, pool, actor, p.ID, changeset.NewChangeSet{Title: "Both"})
	ok(err)
	var entries []content.EntryID
	for _, title := range []string{"One", "Two", "Three"} {
		w, err := entry.Create(ctx, pool, actor, p.ID, "pages", entry.Write{Data: jsontext.Value(`{"title": "` + title + `"}`), ChangeSet: string(set.ID)})
		ok(err)
		entries = append(entries, w.Entry.ID)
	}
	publish(set.ID)
	w, err := entry.Patch(ctx, pool, actor, p.ID, string(entries[0]), entry.Write{Data: jsontext.Value(`{"title": "Eins"}`)})
	ok(err)
	again := string(w.ChangeSet.ID)
	_, err = entry.Unpublish(ctx, pool, actor, p.ID, string(entries[1]), again)
	ok(err)
	_, err = entry.Delete(ctx, pool, actor, p.ID, string(entries[2]), again)
	ok(err)
	publish(w.ChangeSet.ID)
	_, err = entry.Reorder(ctx, pool, actor, p.ID, "pages", entry.Arrangement{Order: entries[:1]})
	ok(err)
	_, err = account.RevokeKey(ctx, pool, actor, org.Organization.ID, "", string(org.Key.ID))
	ok(err)

	source := changelog.NewSource(pool, nil, slog.New(slog.NewTextHandler(t.Output(), nil)))
	for log, want := range map[string][]record.Kind{
		string(p.ID):                {record.KindProject, record.KindSchema, record.KindRelease, record.KindRelease, record.KindRank},
		string(org.Organization.ID): {record.KindOrganization, record.KindKey, record.KindKey},
	} {
		tail, err := source.After(ctx, log, record.Position{})
		ok(err)
		var kinds []record.Kind
		at := record.Position{}
		for _, c := range tail.Changes {
			kinds = append(kinds, c.Kind)
			envelope, err := record.Inline(c)
			ok(err)
			back, _, err := record.Decode(envelope)
			ok(err)
			if !back.Follows(at) {
				t.Errorf("%s does not follow %s", back.Position, at)
			}
			at = back.Position
		}
		if !slices.Equal(kinds, want) || at != tail.Head {
			t.Errorf("log %s has %v up to %s, want %v up to %s", log, kinds, at, want, tail.Head)
		}
	}
}
