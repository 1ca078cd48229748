package changeset_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"svc/core/asset/assettest"
	"svc/core/entry/entrytest"
	"svc/core/postgres"
	"svc/shared/content"
	"svc/shared/fault"
)

const illustrated = `{"name": "pages", "policy": [{"rule": "altText", "reason": "not everybody sees it"}], "fields": {
	"cover": {"type": "asset", "allowed": ["image/*"]},
	"files": {"type": "list", "of": {"type": "asset"}},
	"prose": {"type": "richText"},
	"body": {"type": "markdown"}}}`

func illustratedBed(t testing.TB) *bed {
	t.Helper()
	b := newBed(t)
	b.Push(entrytest.Posts, entrytest.Authors, illustrated)
	return b
}

// named is an asset with alt text of its own.
func (b *bed) named(contentType string) content.AssetID {
	b.Helper()
	id := b.Asset(contentType)
	assettest.Alt(b, b.Pool, id, "A picture")
	return id
}

// What was right when it was written is looked at again: the asset may be another now, or be gone.
func TestAssetsAtPublish(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, change, want string
	}{
		{"as it was", ``, ""},
		{"of another type that is allowed", `UPDATE asset SET content_type = 'image/gif' WHERE id = $1`, ""},
		{"quarantined", `UPDATE asset SET state = 'quarantined' WHERE id = $1`, ""},
		{"of a type that is not allowed", `UPDATE asset SET content_type = 'video/mp4' WHERE id = $1`, "fields.cover asset;"},
		{"deleted", `UPDATE asset SET state = 'deleted', deleted_at = now() WHERE id = $1`, "fields.cover asset;fields.files[0] asset;"},
		{"gone for good", `DELETE FROM asset WHERE id = $1`, "fields.cover asset;fields.files[0] asset;"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := illustratedBed(t)
			id := b.named("image/png")
			w := b.Create(nil, "pages", fmt.Sprintf(`{"cover": %q, "files": [%q]}`, id, id))
			if test.change != "" {
				_, err := b.Pool.Exec(t.Context(), test.change, id)
				b.OK(err)
			}
			if got := b.findings(w.ChangeSet); got != test.want {
				t.Fatalf("found %q, want %q", got, test.want)
			}
			if test.want == "" {
				b.Publish(w.ChangeSet)
			}
		})
	}
}

// Interface, "Policy rules", altText: an image needs alt text of its own or where it is used; other files need none.
func TestImagesNeedAltTextToBePublished(t *testing.T) {
	t.Parallel()
	b := illustratedBed(t)
	bare, named, pdf := b.Asset("image/png"), b.named("image/jpeg"), b.Asset("application/pdf")
	w := b.Create(nil, "pages", strings.NewReplacer("BARE", string(bare), "NAMED", string(named), "PDF", string(pdf)).Replace(`{
		"cover": "BARE", "files": ["PDF", "NAMED", "BARE"],
		"prose": {"type": "doc", "content": [{"type": "image", "attrs": {"asset": "BARE", "alt": "A dog"}}, {"type": "image", "attrs": {"asset": "BARE"}}]},
		"body": "![A cat](/assets/site/BARE/cat.png) ![](/assets/site/NAMED/dog.png) ![](/assets/site/BARE/cow.png)"}`))
	const want = "fields.cover policy_violation;fields.files[2] policy_violation;fields.prose.content[1].attrs.asset policy_violation;fields.body policy_violation;"
	if got := b.findings(w.ChangeSet); got != want {
		t.Fatalf("found %q, want %q", got, want)
	}
	_, err := b.TryPublish(w.ChangeSet)
	if f := b.Refused(err, fault.PublishValidationFailed); f.Items[0].Message !=
		"refers to the image "+string(bare)+", which has no alt text here and no default one (not everybody sees it)" {
		t.Fatalf("%+v", f.Items[0])
	}
	assettest.Alt(t, b.Pool, bare, "An animal")
	b.Publish(w.ChangeSet)
}

// Interface, "Asset states" and "Publish effects", 5: whatever is named anywhere in what is published is published too, in
// the same transaction, but for what was withdrawn.
func TestNamedAssetsArePublished(t *testing.T) {
	t.Parallel()
	b := illustratedBed(t)
	cover, file, embedded, mentioned, withdrawn := b.named("image/png"), b.Asset("text/csv"), b.named("image/gif"), b.named("image/png"), b.named("image/png")
	elsewhere, dropped := b.named("image/png"), b.named("image/png")
	assettest.Move(t, b.Pool, file, content.AssetPending)
	assettest.Move(t, b.Pool, withdrawn, content.AssetQuarantined)
	b.Create(nil, "pages", fmt.Sprintf(`{"cover": %q}`, elsewhere))
	w := b.Create(nil, "pages", fmt.Sprintf(`{"cover": %q}`, dropped))
	b.Patch(w.ChangeSet, w.Entry.ID, strings.NewReplacer("COVER", string(cover), "FILE", string(file), "EMBEDDED", string(embedded),
		"MENTIONED", string(mentioned), "WITHDRAWN", string(withdrawn)).Replace(`{"cover": "COVER", "files": ["FILE", "WITHDRAWN", "COVER"],
		"prose": {"type": "doc", "content": [{"type": "image", "attrs": {"asset": "EMBEDDED"}}]}, "body": "[see](https://example.com/assets/site/MENTIONED/x.png)"}`))
	states := func() string {
		out := ""
		for _, id := range []content.AssetID{cover, file, embedded, mentioned, withdrawn, elsewhere, dropped} {
			out += string(assettest.State(t, b.Pool, id)) + " "
		}
		return out
	}
	b.findings(w.ChangeSet)
	if got := states(); got != "draft pending draft draft quarantined draft draft " {
		t.Fatalf("validating publishes nothing: %s", got)
	}
	p := b.Publish(w.ChangeSet)
	if got := states(); got != "published published published published quarantined draft draft " {
		t.Fatal(got)
	}
	want := ""
	for _, id := range []content.AssetID{cover, file, embedded, mentioned} {
		want += fmt.Sprintf(`{"asset":{"id":%q},"changeSet":{"id":%q,"title":"Working changes"},"releaseNumber":%d} `, id, w.ChangeSet.ID, p.Release.Number)
	}
	if got := entrytest.One[string](b.Bed, `SELECT string_agg(data || ' ', '' ORDER BY id) FROM event WHERE type = 'asset.published'`); got != want {
		t.Fatalf("events %s, want %s", got, want)
	}
	b.Publish(b.Patch(nil, w.Entry.ID, fmt.Sprintf(`{"files": [%q]}`, file)).ChangeSet)
	if n := entrytest.One[int](b.Bed, `SELECT count(*) FROM event WHERE type = 'asset.published'`); n != 4 {
		t.Fatalf("%d assets were published", n)
	}
}

// Of sets that name the same assets at once all are published, and every asset once.
func TestRacingPublishesOfTheSameAssetsAllWin(t *testing.T) {
	t.Parallel()
	b := illustratedBed(t)
	one, two := b.named("image/png"), b.named("image/png")
	var group sync.WaitGroup
	for n := range 6 {
		first, second := one, two
		if n%2 == 1 {
			first, second = two, one
		}
		set := b.Create(nil, "pages", fmt.Sprintf(`{"cover": %q, "files": [%q]}`, first, second)).ChangeSet
		group.Go(func() {
			if _, err := b.TryPublish(set); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := entrytest.One[int](b.Bed, `SELECT count(*) FROM event WHERE type = 'asset.published'`); n != 2 {
		t.Fatalf("%d assets were published", n)
	}
	b.checkHistory()
}

// A publish waits for a deletion that is under way, and finds it.
func TestAPublishDoesNotOvertakeADeletion(t *testing.T) {
	t.Parallel()
	b := illustratedBed(t)
	id := b.named("image/png")
	set := b.Create(nil, "pages", fmt.Sprintf(`{"cover": %q}`, id)).ChangeSet
	published := make(chan error, 1)
	b.OK(postgres.InTx(t.Context(), b.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), `SELECT FROM asset WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
		go func() {
			_, err := b.TryPublish(set)
			published <- err
		}()
		b.awaitBlocked(published)
		_, err := tx.Exec(t.Context(), `UPDATE asset SET state = 'deleted', deleted_at = now() WHERE id = $1`, id)
		return err
	}))
	if got := entrytest.Codes(b.Refused(<-published, fault.PublishValidationFailed)); !strings.Contains(got, "fields.cover asset; ") {
		t.Fatal(got)
	}
}

// awaitBlocked waits until a transaction of the test's database waits for another one. What is to wait may not be over.
func (b *bed) awaitBlocked(over <-chan error) {
	b.Helper()
	for blocked := false; !blocked; {
		select {
		case err := <-over:
			b.Fatalf("it waited for nothing: %v", err)
		default:
		}
		blocked = entrytest.One[bool](b.Bed, `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0)`)
	}
}
