package changeset_test

import (
	"testing"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/fault"
)

func TestPublishEffects(t *testing.T) {
	b := newBed(t)
	w := b.create(nil, "posts", `{"title": "Hello World", "body": "x"}`)
	if w.ChangeSet.Title != changeset.WorkingTitle || w.Entry.Status != entry.StatusDraft {
		t.Fatalf("%+v in %+v", w.Entry, w.ChangeSet)
	}
	p := b.publish(w.ChangeSet)
	if p.Release.Number != 1 || p.ChangeSet.Status != content.ChangeSetPublished || p.ChangeSet.ReleaseNumber != 1 ||
		len(p.EntryIDs) != 1 || p.EntryIDs[0] != w.Entry.ID {
		t.Fatalf("%+v", p)
	}
	e := b.get(w.Entry.ID)
	if e.Status != entry.StatusPublished || *e.PublishedRevisionID != w.Revision.ID || *e.LastPublishedRevisionID != w.Revision.ID ||
		*e.DraftRevisionID != w.Revision.ID || !e.PublishedAt.Equal(p.Release.PublishedAt) || !e.UnpublishedAt.IsZero() {
		t.Fatalf("%+v", e)
	}
	if *e.Published.Slug != "hello-world" || string(e.Published.Fields) != `{"title":"Hello World","slug":"hello-world","body":"x"}` {
		t.Fatalf("slug %s, fields %s", *e.Published.Slug, e.Published.Fields)
	}

	staged, err := entry.Unpublish(t.Context(), b.pool, b.actor, b.id, string(e.ID), "")
	b.ok(err)
	p, err = changeset.Publish(t.Context(), b.pool, b.actor, b.id, string(staged.ChangeSet), true)
	b.ok(err)
	e = b.get(e.ID)
	if p.Release.Number != 2 || len(p.EntryIDs) != 0 || e.Status != entry.StatusUnpublished || e.PublishedRevisionID != nil ||
		*e.LastPublishedRevisionID != w.Revision.ID || e.UnpublishedAt.IsZero() {
		t.Fatalf("%+v after %+v", e, p)
	}

	again := b.patch(nil, e.ID, `{"body": "y"}`)
	if again.Revision.Parent == nil || *again.Revision.Parent != w.Revision.ID {
		t.Fatalf("an unpublished entry starts from what was published: %+v", again.Revision)
	}
	b.publish(again.ChangeSet)
	if e = b.get(e.ID); e.Status != entry.StatusPublished || !e.UnpublishedAt.IsZero() {
		t.Fatalf("%+v", e)
	}

	staged, err = entry.Delete(t.Context(), b.pool, b.actor, b.id, string(e.ID), "")
	b.ok(err)
	_, err = changeset.Publish(t.Context(), b.pool, b.actor, b.id, string(staged.ChangeSet), true)
	b.ok(err)
	if e = b.get(e.ID); e.Status != entry.StatusDeleted || e.PublishedRevisionID != nil || e.DeletedAt.IsZero() {
		t.Fatalf("%+v", e)
	}

	if got := one[string](b, `SELECT string_agg(concat_ws('-', from_release, nullif(to_release, 9223372036854775807)), ' ' ORDER BY from_release)
		FROM publication WHERE entry_id = $1`, e.ID); got != "1-2 3-4" {
		t.Fatalf("live intervals %s", got)
	}
	if got := one[string](b, `SELECT string_agg(type, ' ' ORDER BY id) FROM event WHERE type <> 'schema.pushed'`); got !=
		"change_set.created entry.published change_set.published change_set.created entry.unpublished change_set.published "+
			"change_set.created entry.published change_set.published change_set.created entry.deleted change_set.published" {
		t.Fatalf("events %s", got)
	}
	if got := one[int](b, `SELECT count(*) FROM audit_event WHERE action = 'change_set.publish'`); got != 4 {
		t.Fatalf("%d audit records", got)
	}
	if !one[bool](b, `SELECT bool_and(published_at = date_trunc('milliseconds', published_at)) FROM release`) {
		t.Fatal("release times are whole milliseconds")
	}
}

// The digest that the publish computes from ids and hashes is that of the release as it is read back for edges.
func TestReleaseDigestMatchesItsContent(t *testing.T) {
	b := newBed(t)
	set := b.set("mixed")
	gone := b.published("posts", `{"title": "Gone"}`)
	away := b.published("posts", `{"title": "Away"}`)
	b.create(set, "posts", `{"title": "New"}`)
	b.create(set, "authors", `{"name": "No slug"}`)
	_, err := entry.Delete(t.Context(), b.pool, b.actor, b.id, string(gone.ID), string(set.ID))
	b.ok(err)
	_, err = entry.Unpublish(t.Context(), b.pool, b.actor, b.id, string(away.ID), string(set.ID))
	b.ok(err)
	p := b.publish(set)

	release, items, err := changeset.GetRelease(t.Context(), b.pool, b.actor, b.id, string(set.ID))
	b.ok(err)
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
			r, err := entry.GetRevision(t.Context(), b.pool, b.actor, b.id, string(i.Entry), string(*i.RevisionID))
			b.ok(err)
			it.Operation, it.Revision, it.SchemaVersion = recordpb.Operation_OPERATION_PUT, string(r.ID), r.SchemaVersion
			it.FieldsHash = one[[]byte](b, `SELECT sha256(convert_to($1, 'UTF8'))`, string(r.Fields))
			if i.Slug != nil {
				it.Slug = *i.Slug
			}
		}
		body.Items = append(body.Items, it)
	}
	want, err := record.Digest(record.KindRelease, body)
	b.ok(err)
	got := one[[]byte](b, `SELECT digest FROM change WHERE log = $1 AND kind = 'release' AND ref = $2`, b.id, int64(release.Number))
	if string(got) != string(want[:]) {
		t.Fatalf("digest %x, want %s", got, want)
	}
}

func TestPublishRefusals(t *testing.T) {
	b := newBed(t)
	w := b.create(nil, "posts", `{"title": "One"}`)
	_, err := changeset.Publish(t.Context(), b.pool, b.actor, b.id, string(w.ChangeSet.ID), false)
	b.refused(err, fault.ValidationFailed)
	b.publish(w.ChangeSet)
	_, err = b.tryPublish(w.ChangeSet)
	b.refused(err, fault.Conflict)
	_, err = changeset.Close(t.Context(), b.pool, b.actor, b.id, string(w.ChangeSet.ID))
	b.refused(err, fault.Conflict)

	closed := b.set("closed")
	_, err = changeset.Close(t.Context(), b.pool, b.actor, b.id, string(closed.ID))
	b.ok(err)
	_, err = b.tryPublish(closed)
	b.refused(err, fault.Conflict)
	_, err = changeset.Close(t.Context(), b.pool, b.actor, b.id, string(closed.ID))
	b.refused(err, fault.Conflict)
	_, err = entry.Create(t.Context(), b.pool, b.actor, b.id, "posts", write(closed, `{"title": "x"}`))
	b.refused(err, fault.Conflict)

	_, err = b.tryPublish(b.set("empty"))
	if got := codes(b.refused(err, fault.PublishValidationFailed)); got == "" {
		t.Fatal("an empty set says what is wrong")
	}
	_, err = changeset.Publish(t.Context(), b.pool, b.actor, b.id, "chs_nothing", true)
	b.refused(err, fault.NotFound)
}
