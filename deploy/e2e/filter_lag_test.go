package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/bench/node"
	"svc/core/client"
	"svc/deploy/local/localtest"
)

const (
	laggingPosts = 1_500
	laggingEach  = 5 // posts with one rating
)

// TestAFieldThatComesBackIsFilterable: a field that is deployed over entries which have values for it can be filtered and
// ordered by on every edge, and from the first answer on nothing is missing.
func TestAFieldThatComesBackIsFilterable(t *testing.T) {
	b := newBed(t, posts)
	var lines strings.Builder
	for n := range laggingPosts {
		fmt.Fprintf(&lines, `{"data":{"title":"Post %d","rating":%d}}`+"\n", n, n/laggingEach)
	}
	b.publishLines(lines.String())
	b.await(1, "posts", b.edges()...)
	b.fieldsReturn(localtest.Size(5, 20))
	b.agree([]string{"posts"}, b.edges()...)
}

// publishLines publishes posts.
func (b *bed) publishLines(lines string) {
	b.t.Helper()
	made, err := b.api.ImportLines(b.t.Context(), b.project.Slug, "posts", strings.NewReader(lines), client.ImportOptions{})
	b.check(err)
	b.publish(string(*made.ChangeSet))
}

// fieldsReturn takes the rating away and brings it back, so many times, and waits until all edges filter by it.
func (b *bed) fieldsReturn(times int) {
	b.t.Helper()
	without := strings.Replace(posts, `,
		"rating":{"type":"number"}`, "", 1)
	for n := range times {
		b.deploy(without)
		b.until(func(ctx context.Context) error {
			return allAnswer(ctx, b.edges(), b.list("posts")+"?order=rating", http.StatusBadRequest)
		})
		b.deploy(posts)
		for _, path := range []string{
			fmt.Sprintf("%s?filter[rating]=%d", b.list("posts"), n), fmt.Sprintf("%s?filter[rating][lte]=%d&order=-rating&limit=%d", b.list("posts"), n, laggingEach),
		} {
			b.until(func(ctx context.Context) error { return b.finder(ctx, path, n) })
		}
	}
}

func (b *bed) deploy(schema string) {
	b.t.Helper()
	_, err := b.api.PushSchema(b.t.Context(), b.project.Slug, []jsontext.Value{jsontext.Value(schema)}, true, "")
	b.check(err)
}

// finder looks whether all edges find the posts of a rating. One that answers at all must have all of them.
func (b *bed) finder(ctx context.Context, path string, rating int) error {
	answers, err := node.Ask(ctx, b.edges(), path)
	if err != nil {
		return err
	}
	for _, a := range answers {
		if a.Status == http.StatusBadRequest {
			return fmt.Errorf("%s does not know the field", a.Node)
		}
		page, err := a.Page()
		b.check(err)
		if got := strings.Count(string(a.Body), fmt.Sprintf(`"rating":%d}`, rating)); got != laggingEach || len(page.Entries) != laggingEach {
			b.t.Fatalf("%s %s has %d posts, %d of the rating %d: %s", a.Node, path, len(page.Entries), got, rating, a.Body)
		}
	}
	return nil
}
