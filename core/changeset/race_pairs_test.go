package changeset_test

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/asset/assettest"
	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
)

// errNamed is why an asset is not deleted.
var errNamed = errors.New("content names the asset")

// pairs is how many pairs of each kind race.
func pairs() int {
	if scale, err := strconv.Atoi(os.Getenv("SVC_TEST_SCALE")); err == nil {
		return 25 * max(1, scale)
	}
	return 25
}

// Whatever a publish has validated holds at its commit, whatever commits at the same moment. Each pair is a publish and
// something that takes away what it relies on; either may come first, and then the other one finds it.
func TestWhatWasValidatedHoldsAtTheCommit(t *testing.T) {
	t.Parallel()
	refer := func(id content.EntryID) string { return fmt.Sprintf(`{"title": "Post", "author": %q}`, id) }
	for _, test := range []struct {
		name string
		// stage returns a set to publish, and what races with it.
		stage func(b *bed, n int) (*changeset.ChangeSet, func() (*changeset.Published, error))
	}{
		{"delete", func(b *bed, _ int) (*changeset.ChangeSet, func() (*changeset.Published, error)) {
			author := b.Published("authors", `{"name": "A"}`).ID
			return b.Create(nil, "posts", refer(author)).ChangeSet, b.removal(author, content.OperationDelete)
		}},
		{"unpublish", func(b *bed, _ int) (*changeset.ChangeSet, func() (*changeset.Published, error)) {
			author := b.Published("authors", `{"name": "A"}`).ID
			return b.Create(nil, "posts", refer(author)).ChangeSet, b.removal(author, content.OperationUnpublish)
		}},
		{"edit of an existing referrer", func(b *bed, _ int) (*changeset.ChangeSet, func() (*changeset.Published, error)) {
			author := b.Published("authors", `{"name": "A"}`).ID
			post := b.Published("posts", refer(author)).ID
			return b.Patch(nil, post, `{"body": "edited"}`).ChangeSet, b.removal(author, content.OperationDelete)
		}},
		{"an unchanged member", func(b *bed, _ int) (*changeset.ChangeSet, func() (*changeset.Published, error)) {
			author := b.Published("authors", `{"name": "A"}`).ID
			post := b.Published("posts", refer(author)).ID
			return b.Patch(nil, post, `{}`).ChangeSet, b.removal(author, content.OperationDelete)
		}},
		{"300 referrers", func(b *bed, n int) (*changeset.ChangeSet, func() (*changeset.Published, error)) {
			author := b.Published("authors", `{"name": "A"}`).ID
			rows := func(yield func(entry.ImportRow, error) bool) {
				for i := range 300 {
					data := fmt.Sprintf(`{"title": "Post %d of %d", "author": %q}`, i, n, author)
					if !yield(entry.ImportRow{Data: jsontext.Value(data)}, nil) {
						return
					}
				}
			}
			out, err := entry.Import(b.Context(), b.Pool, b.Actor, b.ID, "posts", entry.ImportOptions{}, rows)
			b.OK(err)
			return out.ChangeSet, b.removal(author, content.OperationDelete)
		}},
		{"the same slug", func(b *bed, n int) (*changeset.ChangeSet, func() (*changeset.Published, error)) {
			set, other := b.Set("one"), b.Set("other")
			data := fmt.Sprintf(`{"title": "Same", "slug": "same-%d"}`, n)
			b.Create(set, "posts", data)
			b.Create(other, "posts", data)
			return set, func() (*changeset.Published, error) { return b.TryPublish(other) }
		}},
		{"schema push", func(b *bed, _ int) (*changeset.ChangeSet, func() (*changeset.Published, error)) {
			b.Push(entrytest.Posts, entrytest.Authors, illustrated)
			w := b.Create(nil, "pages", `{"body": "Lorem ipsum"}`)
			stricter := strings.Replace(illustrated, `"policy": [`, `"policy": [{"rule": "bannedTerms", "terms": ["lorem"]}, `, 1)
			return w.ChangeSet, func() (*changeset.Published, error) {
				_, err := schemadeploy.Push(b.Context(), b.Pool, b.Actor, b.ID, entrytest.Proposal(entrytest.Posts, entrytest.Authors, stricter))
				return nil, err
			}
		}},
		{"asset delete", func(b *bed, _ int) (*changeset.ChangeSet, func() (*changeset.Published, error)) {
			id := b.named("image/png")
			return b.Create(nil, "pages", fmt.Sprintf(`{"cover": %q}`, id)).ChangeSet, func() (*changeset.Published, error) {
				if !assettest.Delete(b, b.Pool, id) {
					return nil, errNamed
				}
				return nil, nil
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := illustratedBed(t)
			first, second, both := 0, 0, 0
			for n := range pairs() {
				set, race := test.stage(b, n)
				var one, other *changeset.Published
				var published, raced error
				var group sync.WaitGroup
				start := make(chan struct{})
				group.Go(func() { <-start; one, published = b.TryPublish(set) })
				group.Go(func() { <-start; other, raced = race() })
				close(start)
				group.Wait()
				switch {
				case published != nil && raced != nil:
					t.Fatalf("neither came about: %v; %v", published, raced)
				case published != nil:
					b.Refused(published, fault.PublishValidationFailed)
					second++
				case raced != nil:
					first++
				default:
					both++
					if other != nil && one.Release.Number < other.Release.Number && len(other.Warnings) == 0 {
						t.Errorf("release %d takes away what release %d refers to, without a warning", other.Release.Number, one.Release.Number)
					}
				}
				b.checkInvariant()
			}
			b.checkHistory()
			t.Logf("%d pairs: both %d, only the publish %d, only the other %d", pairs(), both, first, second)
		})
	}
}

func (b *bed) removal(id content.EntryID, operation content.Operation) func() (*changeset.Published, error) {
	b.Helper()
	set := b.Set("away")
	b.remove(set, id, operation)
	return func() (*changeset.Published, error) { return b.TryPublish(set) }
}

// checkInvariant checks the newest release: what it published refers to what is live in it, has its slug for itself, fits the
// policy that it was published under, and names no deleted asset.
func (b *bed) checkInvariant() {
	b.Helper()
	for what, sql := range map[string]string{
		"a dangling reference": `
			SELECT EXISTS (SELECT FROM publication p JOIN revision r ON r.id = p.revision_id,
				regexp_matches(r.fields, 'ent_[0-9a-z]{26}', 'g') AS m
			WHERE p.from_release = (SELECT number FROM release_head) AND NOT EXISTS (SELECT FROM publication t
				WHERE t.entry_id = m[1] AND t.from_release <= p.from_release AND t.to_release > p.from_release))`,
		"a slug of two entries": `
			SELECT EXISTS (SELECT FROM publication WHERE to_release = 9223372036854775807 AND slug IS NOT NULL
			GROUP BY collection, slug HAVING count(*) > 1)`,
		"a page that a policy forbids": `
			SELECT EXISTS (SELECT FROM publication p JOIN revision r ON r.id = p.revision_id
			WHERE p.from_release = (SELECT number FROM release_head) AND r.fields ~ 'Lorem' AND (
				SELECT v.canonical FROM schema_push s JOIN schema_push_collection c ON (c.project_id, c.number) = (s.project_id, s.number)
				JOIN collection_version v ON (v.project_id, v.name, v.version) = (c.project_id, c.name, c.version)
				WHERE c.name = 'pages' AND s.from_release <= p.from_release ORDER BY s.number DESC LIMIT 1) ~ 'lorem')`,
		"a deleted asset": `
			SELECT EXISTS (SELECT FROM entry e JOIN revision r ON r.id = e.published_revision_id
			JOIN asset a ON a.state = 'deleted' AND strpos(r.fields, a.id) > 0)`,
	} {
		if entrytest.One[bool](b.Bed, sql) {
			b.Fatalf("release %d has %s", entrytest.One[int](b.Bed, `SELECT number FROM release_head`), what)
		}
	}
}
