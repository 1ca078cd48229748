package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// lagSlack is what one look more takes, when the edges were not ready at the first.
const lagSlack = 20 * time.Millisecond

// TestVisibilityIsInForceWithinTheLag: a collection that becomes private, or public, is so on every edge within the time in
// which releases show.
func TestVisibilityIsInForceWithinTheLag(t *testing.T) {
	b := newBed(t, posts)
	set := b.set("Posts")
	id := b.create(set, "posts", postNumber(1))
	b.publish(set)
	b.await(1, "posts", b.edges()...)
	for round := range scale {
		b.within(func() error {
			quiet := b.lags(id, func(n int) bool { return n < 40 })
			closing, opening := b.flips(20)
			t.Logf("round %d: %s; private within %s and %s, public within %s and %s (50 and 90 %%)",
				round+1, quiet, closing.at(50), closing.at(90), opening.at(50), opening.at(90))
			return errors.Join(closing.thrice("the collections that became private", quiet, lagSlack, 50, 90),
				opening.thrice("the collections that became public", quiet, lagSlack, 50, 90))
		})
	}
	b.agree([]string{"posts"}, b.edges()...)
}

// flips makes a collection private and public again, so many times, and measures from each response until all edges show it.
func (b *bed) flips(times int) (closing, opening lagSample) {
	b.t.Helper()
	private := strings.Replace(posts, `"visibility":"public"`, `"visibility":"private"`, 1)
	for range times {
		closing = append(closing, b.flip(private, http.StatusUnauthorized))
		opening = append(opening, b.flip(posts, http.StatusOK))
	}
	slices.Sort(closing)
	slices.Sort(opening)
	return closing, opening
}

func (b *bed) flip(schema string, status int) time.Duration {
	b.t.Helper()
	_, err := b.api.PushSchema(b.t.Context(), b.project.Slug, []jsontext.Value{jsontext.Value(schema)}, false, "")
	b.check(err)
	answered := time.Now()
	b.until(func(ctx context.Context) error {
		if err := allAnswer(ctx, b.edges(), b.list("posts")+"?limit=1", status); err != nil {
			return fmt.Errorf("after the deployment: %w", err)
		}
		return nil
	})
	return time.Since(answered)
}
