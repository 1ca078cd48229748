package changeset_test

import (
	"testing"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/fault"
)

func TestPublishEffects(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	w := b.Create(nil, "posts", `{"title": "Hello World", "body": "x"}`)
	if w.ChangeSet.Title != changeset.WorkingTitle || w.Entry.Status != entry.StatusDraft {
		t.Fatalf("%+v in %+v", w.Entry, w.ChangeSet)
	}
	p := b.Publish(w.ChangeSet)
	if p.Release.Number != 1 || p.ChangeSet.Status != content.ChangeSetPublished || p.ChangeSet.ReleaseNumber != 1 ||
		len(p.EntryIDs) != 1 || p.EntryIDs[0] != w.Entry.ID {
		t.Fatalf("%+v", p)
	}
	e := b.Get(w.Entry.ID)
	if e.Status != entry.StatusPublished || *e.PublishedRevisionID != w.Revision.ID || *e.LastPublishedRevisionID != w.Revision.ID ||
		*e.DraftRevisionID != w.Revision.ID || !e.PublishedAt.Equal(p.Release.PublishedAt) || !e.UnpublishedAt.IsZero() {
		t.Fatalf("%+v", e)
	}
	if *e.Published.Slug != "hello-world" || string(e.Published.Fields) != `{"title":"Hello World","slug":"hello-world","body":"x"}` {
		t.Fatalf("slug %s, fields %s", *e.Published.Slug, e.Published.Fields)
	}

	staged, err := entry.Unpublish(t.Context(), b.Pool, b.Actor, b.ID, string(e.ID), "")
	b.OK(err)
	p, err = changeset.Publish(t.Context(), b.Pool, b.Actor, b.ID, string(staged.ChangeSet), true)
	b.OK(err)
	e = b.Get(e.ID)
	if p.Release.Number != 2 || len(p.EntryIDs) != 0 || e.Status != entry.StatusUnpublished || e.PublishedRevisionID != nil ||
		*e.LastPublishedRevisionID != w.Revision.ID || e.UnpublishedAt.IsZero() {
		t.Fatalf("%+v after %+v", e, p)
	}

	again := b.Patch(nil, e.ID, `{"body": "y"}`)
	if again.Revision.Parent == nil || *again.Revision.Parent != w.Revision.ID {
		t.Fatalf("an unpublished entry starts from what was published: %+v", again.Revision)
	}
	b.Publish(again.ChangeSet)
	if e = b.Get(e.ID); e.Status != entry.StatusPublished || !e.UnpublishedAt.IsZero() {
		t.Fatalf("%+v", e)
	}

	staged, err = entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(e.ID), "")
	b.OK(err)
	_, err = changeset.Publish(t.Context(), b.Pool, b.Actor, b.ID, string(staged.ChangeSet), true)
	b.OK(err)
	if e = b.Get(e.ID); e.Status != entry.StatusDeleted || e.PublishedRevisionID != nil || e.DeletedAt.IsZero() {
		t.Fatalf("%+v", e)
	}

	if got := entrytest.One[string](b.Bed, `SELECT string_agg(concat_ws('-', from_release, nullif(to_release, 9223372036854775807)), ' ' ORDER BY from_release)
		FROM publication WHERE entry_id = $1`, e.ID); got != "1-2 3-4" {
		t.Fatalf("live intervals %s", got)
	}
	if got := entrytest.One[string](b.Bed, `SELECT string_agg(type, ' ' ORDER BY id) FROM event WHERE type <> 'schema.pushed'`); got !=
		"change_set.created entry.published change_set.published change_set.created entry.unpublished change_set.published "+
			"change_set.created entry.published change_set.published change_set.created entry.deleted change_set.published" {
		t.Fatalf("events %s", got)
	}
	if got := entrytest.One[int](b.Bed, `SELECT count(*) FROM audit_event WHERE action = 'change_set.publish'`); got != 4 {
		t.Fatalf("%d audit records", got)
	}
	if !entrytest.One[bool](b.Bed, `SELECT bool_and(published_at = date_trunc('milliseconds', published_at)) FROM release`) {
		t.Fatal("release times are whole milliseconds")
	}
}

// The digest that the publish computes from ids and hashes is that of the release as it is read back for edges.
func TestReleaseDigestMatchesItsContent(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	set := b.Set("mixed")
	gone := b.Published("posts", `{"title": "Gone"}`)
	away := b.Published("posts", `{"title": "Away"}`)
	b.Create(set, "posts", `{"title": "New"}`)
	b.Create(set, "authors", `{"name": "No slug"}`)
	_, err := entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(gone.ID), string(set.ID))
	b.OK(err)
	_, err = entry.Unpublish(t.Context(), b.Pool, b.Actor, b.ID, string(away.ID), string(set.ID))
	b.OK(err)
	p := b.Publish(set)

	release, items, err := changeset.GetRelease(t.Context(), b.Pool, b.Actor, b.ID, string(set.ID))
	b.OK(err)
	if release.Number != p.Release.Number || len(items) != 4 || release.ItemCount != 4 {
		t.Fatalf("%+v with %+v", release, items)
	}
	body := &recordpb.Release{Number: release.Number, PublishedMs: release.PublishedAt.UnixMilli(), ChangeSet: string(set.ID)}
	for _, i := range items {
		it := &recordpb.Item{Entry: string(i.Entry), Collection: i.Collection}
		switch {
		case i.Operation == content.OperationDelete:
			it.Operation = recordpb.Operation_OPERATION_DELETE
		case i.Operation == content.OperationUnpublish:
			it.Operation = recordpb.Operation_OPERATION_UNPUBLISH
		default:
			r, err := entry.GetRevision(t.Context(), b.Pool, b.Actor, b.ID, string(i.Entry), string(*i.RevisionID))
			b.OK(err)
			it.Operation, it.Revision, it.SchemaVersion = recordpb.Operation_OPERATION_PUT, string(r.ID), r.SchemaVersion
			it.FieldsHash = entrytest.One[[]byte](b.Bed, `SELECT sha256(convert_to($1, 'UTF8'))`, string(r.Fields))
			if i.Slug != nil {
				it.Slug = *i.Slug
			}
		}
		body.Items = append(body.Items, it)
	}
	want, err := record.Digest(record.KindRelease, body)
	b.OK(err)
	got := entrytest.One[[]byte](b.Bed, `SELECT digest FROM change WHERE log = $1 AND kind = 'release' AND ref = $2`, b.ID, int64(release.Number))
	if string(got) != string(want[:]) {
		t.Fatalf("digest %x, want %s", got, want)
	}
}

func TestPublishRefusals(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	w := b.Create(nil, "posts", `{"title": "One"}`)
	_, err := changeset.Publish(t.Context(), b.Pool, b.Actor, b.ID, string(w.ChangeSet.ID), false)
	b.Refused(err, fault.ValidationFailed)
	b.Publish(w.ChangeSet)
	_, err = b.TryPublish(w.ChangeSet)
	b.Refused(err, fault.Conflict)
	_, err = changeset.Close(t.Context(), b.Pool, b.Actor, b.ID, string(w.ChangeSet.ID))
	b.Refused(err, fault.Conflict)

	closed := b.Set("closed")
	_, err = changeset.Close(t.Context(), b.Pool, b.Actor, b.ID, string(closed.ID))
	b.OK(err)
	_, err = b.TryPublish(closed)
	b.Refused(err, fault.Conflict)
	_, err = changeset.Close(t.Context(), b.Pool, b.Actor, b.ID, string(closed.ID))
	b.Refused(err, fault.Conflict)
	_, err = entry.Create(t.Context(), b.Pool, b.Actor, b.ID, "posts", entrytest.Write(closed, `{"title": "x"}`))
	b.Refused(err, fault.Conflict)

	_, err = changeset.Publish(t.Context(), b.Pool, b.Actor, b.ID, "chs_nothing", true)
	b.Refused(err, fault.NotFound)
}
