package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"

	"svc/bench/node"
	"svc/core/client"
)

// hugeItems is how many items a huge release has: as many as a release may have.
const hugeItems = 10_000

// TestAHugeReleaseDelaysNobody: while a release of 10,000 items is published and applied, releases of one entry in another
// project show on every edge within three times what they take while all is quiet, and a key that is revoked meanwhile is
// refused on every edge within a second.
func TestAHugeReleaseDelaysNobody(t *testing.T) {
	b := newBed(t, posts, memos)
	set := b.set("Posts")
	id := b.create(set, "posts", postNumber(1))
	b.publish(set)
	b.memo()
	for round := range scale {
		b.within(func() error {
			quiet, busy, refused := b.besideHuge(id)
			t.Logf("round %d: while all is quiet %s; beside a huge release %s; revocations in force after %v", round+1, quiet, busy, refused)
			if len(busy) < 10 || len(refused) < 2 {
				return fmt.Errorf("%d releases and %d revocations beside the huge release are too few to tell anything", len(busy), len(refused))
			}
			if slowest := slices.Max(refused); slowest > time.Second {
				return fmt.Errorf("a revoked key was good for %s", slowest)
			}
			return busy.thrice("the releases beside a huge one", quiet, 0, 50, 90)
		})
	}
	b.agree([]string{"posts"}, b.edges()...)
}

// besideHuge measures releases of an entry while all is quiet, and while a huge release of another project is published and
// applied; and for how long revoked keys are good then.
func (b *bed) besideHuge(id string) (quiet, busy lagSample, refused []time.Duration) {
	b.t.Helper()
	huge := b.newProject(posts)
	imported := b.importNamed(huge.Slug, "Post number", hugeItems)
	keys := make([]client.MintedKey, 20)
	for i := range keys {
		keys[i] = b.mint("content:read")
		b.same(with(keys[i].Secret, b.edges()...), b.list("memos"))
	}
	quiet = b.lags(id, func(n int) bool { return n < 40 })
	over := make(chan struct{})
	group, ctx := errgroup.WithContext(b.t.Context())
	group.Go(func() error {
		defer close(over)
		return b.publishHuge(ctx, huge.Slug, imported)
	})
	group.Go(func() error {
		busy = b.lags(id, func(int) bool { return !closed(over) })
		return nil
	})
	group.Go(func() (err error) {
		refused, err = b.revokeUntil(ctx, keys, over)
		return err
	})
	b.check(group.Wait())
	return quiet, busy, refused
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// importNamed stages new posts and returns their change set.
func (b *bed) importNamed(project, title string, n int) string {
	b.t.Helper()
	return b.importPosts(project, n, func(i int) post {
		return post{Title: fmt.Sprintf("%s %05d", title, i), Body: "Of a huge release."}
	})
}

// importPosts stages n new posts and returns their change set.
func (b *bed) importPosts(project string, n int, number func(i int) post) string {
	b.t.Helper()
	var lines bytes.Buffer
	for i := range n {
		b.check(json.MarshalWrite(&lines, map[string]post{"data": number(i)}))
		lines.WriteByte('\n')
	}
	made, err := b.api.ImportLines(b.t.Context(), project, "posts", &lines, client.ImportOptions{})
	b.check(err)
	if made.Created != n {
		b.t.Fatalf("the import made %d of %d posts: %+v", made.Created, n, made.Errors)
	}
	return made.ChangeSetID
}

// publishHuge publishes a set and waits until both edges serve it.
func (b *bed) publishHuge(ctx context.Context, project, set string) error {
	began := time.Now()
	out, err := b.api.Publish(ctx, project, set)
	if err != nil {
		return err
	}
	answered := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not within %s", patience))
	defer cancel()
	if err := node.Await(ctx, b.edges(), project, "posts", *out.ChangeSet.ReleaseNumber); err != nil {
		return err
	}
	b.t.Logf("the huge release took %s to publish and %s to show", answered.Sub(began), time.Since(answered))
	return nil
}

// revokeUntil revokes keys, one after the other, and returns how long each was still good on an edge.
func (b *bed) revokeUntil(ctx context.Context, keys []client.MintedKey, over <-chan struct{}) ([]time.Duration, error) {
	var took []time.Duration
	for _, key := range keys {
		if closed(over) {
			break
		}
		if err := b.api.RevokeProjectKey(ctx, b.project.Slug, key.Key.ID); err != nil {
			return took, err
		}
		answered := time.Now()
		waiting, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not within %s", patience))
		err := node.Until(waiting, func(ctx context.Context) error {
			return allAnswer(ctx, with(key.Secret, b.edges()...), b.list("memos"), http.StatusUnauthorized)
		})
		cancel()
		if err != nil {
			return took, err
		}
		took = append(took, time.Since(answered).Round(time.Millisecond))
		select {
		case <-over:
		case <-time.After(200 * time.Millisecond):
		}
	}
	return took, nil
}

// lags publishes edits of an entry, one after the other, while more says so, and measures from each publish response until
// every edge serves it.
func (b *bed) lags(entry string, more func(n int) bool) lagSample {
	b.t.Helper()
	var sample lagSample
	for n := 0; more(n); n++ {
		release := b.write(entry, map[string]string{"body": fmt.Sprintf("edit %d", n)})
		answered := time.Now()
		b.await(release, "posts", b.edges()...)
		sample = append(sample, time.Since(answered))
	}
	slices.Sort(sample)
	return sample
}

// lagSample is how long releases took to show, the shortest first.
type lagSample []time.Duration

// at is within what time so many percent of the releases showed.
func (s lagSample) at(percent int) time.Duration { return s[(len(s)-1)*percent/100] }

func (s lagSample) String() string {
	return fmt.Sprintf("%d releases show within %s, %s, %s (50, 90, 100 %%)", len(s), s.at(50), s.at(90), s.at(100))
}
