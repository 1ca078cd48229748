package e2e

import (
	"net/http"
	"slices"
	"strconv"
	"testing"

	"github.com/go-json-experiment/json"

	"svc/bench/node"
	"svc/core/client"
)

// TestFromPushToRead goes the whole length: a schema is pushed, entries are staged and published, every node serves them, by
// slug, by id, in lists, and as they were at each release.
func TestFromPushToRead(t *testing.T) {
	b := newBed(t, posts, home)
	set := b.set("First")
	first := b.create(set, "posts", post{Title: "Hello there", Body: "*One*"})
	second := b.create(set, "posts", post{Title: "Grüße", Body: "<Tag> & \u2028 日本語"})
	b.create(set, "home", map[string]string{"headline": "Welcome"})
	b.refused(b.nodes()[2:], b.single("posts", "hello-there"), http.StatusNotFound, "NOT_FOUND") // a draft is not for reading
	if n := b.publish(set); n != 1 {
		t.Fatalf("the first release is number %d", n)
	}
	b.await(1, "posts", b.nodes()...)
	b.reads("hello-there", "", first, "*One*", 1)
	b.reads("grusse", "", second, "<Tag> & \u2028 日本語", 1)
	b.reads(first, "", first, "*One*", 1)
	b.lists("", 1, second, first) // newest first

	third := b.second(first, second)
	b.await(2, "posts", b.nodes()...)
	b.reads("hello-again", "", first, "*Two*", 2)
	b.lists("", 2, third, first)
	moved := b.refused(b.nodes(), b.single("posts", "hello-there"), http.StatusNotFound, "NOT_FOUND")
	if moved.CanonicalSlug != "hello-again" {
		t.Errorf("the old slug leads to %q", moved.CanonicalSlug)
	}
	b.refused(b.nodes(), b.single("posts", second), http.StatusNotFound, "NOT_FOUND")
	// The first release stays as it was.
	b.reads("hello-there", "?at=1", first, "*One*", 1)
	b.reads("grusse", "?at=release-1", second, "<Tag> & \u2028 日本語", 1)
	b.lists("?at=1", 1, second, first)
	b.refused(b.nodes(), b.single("posts", "hello-again")+"?at=1", http.StatusNotFound, "NOT_FOUND")

	answer := b.same(b.nodes(), "/v1/projects/"+string(b.project.ID)+"/collections/home/singleton")
	if e, err := answer.Entry(); err != nil || e.Slug != nil || string(e.Fields) != `{"headline":"Welcome"}` {
		t.Errorf("the singleton reads %s, %v", answer.Body, err)
	}
	b.agree([]string{"posts"}, b.edges()...)
}

// second publishes release 2: an edit with a new slug, a deletion, an entry more, whose id it returns.
func (b *bed) second(edited, deleted string) string {
	b.t.Helper()
	set := b.set("Second")
	slug := "hello-again"
	_, err := b.api.PatchEntry(b.t.Context(), b.project.Slug, edited, client.Patch{Data: post{Title: "Hello there", Body: "*Two*"}, Slug: &slug, ChangeSetID: set})
	b.check(err)
	_, err = b.api.DeleteEntry(b.t.Context(), b.project.Slug, deleted, set)
	b.check(err)
	added := b.create(set, "posts", postNumber(3))
	if n := b.publish(set); n != 2 {
		b.t.Fatalf("the second release is number %d", n)
	}
	return added
}

// reads reads a post on every node.
func (b *bed) reads(ref, query, id, body string, release uint64) {
	b.t.Helper()
	answer := b.same(b.nodes(), b.single("posts", ref)+query)
	e, err := answer.Entry()
	b.check(err)
	var got post
	b.check(json.Unmarshal(e.Fields, &got))
	if e.ID != id || got.Body != body || answer.Release != release || e.Slug == nil || *e.Slug != got.Slug {
		b.t.Fatalf("%s%s of release %d reads %s", ref, query, answer.Release, answer.Body)
	}
}

// lists reads the list of posts on every node, in one page and in pages of one.
func (b *bed) lists(query string, release uint64, ids ...string) {
	b.t.Helper()
	answer := b.same(b.nodes(), b.list("posts")+query)
	page, err := answer.Page()
	b.check(err)
	if got := idsOf(page); !slices.Equal(got, ids) || answer.Release != release || page.Next != "" {
		b.t.Fatalf("the list%s of release %d has %v, not %v", query, answer.Release, got, ids)
	}
	mark := "?"
	if query != "" {
		mark = query + "&"
	}
	cursor := ""
	for i := range ids {
		page, err := b.same(b.nodes(), b.list("posts")+mark+"limit=1"+cursor).Page()
		b.check(err)
		if got := idsOf(page); len(got) != 1 || got[0] != ids[i] || (page.Next != "") != (i < len(ids)-1) {
			b.t.Fatalf("page %d of the list%s has %v and the cursor %q", i+1, query, got, page.Next)
		}
		cursor = "&cursor=" + page.Next
	}
}

func idsOf(p node.Page) []string {
	var ids []string
	for _, e := range p.Entries {
		ids = append(ids, e.ID)
	}
	return ids
}

// TestEditorialOrderShowsEverywhere: an arrangement takes effect without a release, also at pins.
func TestEditorialOrderShowsEverywhere(t *testing.T) {
	b := newBed(t, posts)
	set := b.set("Posts")
	var ids []string
	for n := range 5 {
		ids = append(ids, b.create(set, "posts", postNumber(n)))
	}
	b.publish(set)
	b.await(1, "posts", b.nodes()...)
	b.check(b.api.Reorder(t.Context(), b.project.Slug, "posts", []string{ids[2], ids[0]}))
	want := []string{ids[2], ids[0], ids[4], ids[3], ids[1]}
	b.agree([]string{"posts"}, b.edges()...)
	b.lists("", 1, want...)
	b.lists("?at=1", 1, want...)
}

// TestAPinIsATimeToo: the time of a release means that release, a moment earlier the one before.
func TestAPinIsATimeToo(t *testing.T) {
	b := newBed(t, posts)
	set := b.set("Posts")
	id := b.create(set, "posts", postNumber(1))
	b.publish(set)
	b.write(id, map[string]string{"body": "two"})
	b.await(2, "posts", b.nodes()...)
	releases, err := b.api.Releases(t.Context(), b.project.Slug)
	b.check(err)
	const layout = "2006-01-02T15:04:05.000Z"
	for _, r := range releases {
		at := r.PublishedAt.UTC().Format(layout)
		answer := b.same(b.nodes(), b.single("posts", id)+"?at="+at)
		if answer.Release != r.Number {
			t.Errorf("at the time of release %d answers release %d", r.Number, answer.Release)
		}
		want := b.single("posts", id) + "?at=" + strconv.FormatUint(r.Number, 10)
		if got := answer.Header.Get("Content-Location"); got != want {
			t.Errorf("the location of release %d is %s", r.Number, got)
		}
	}
}
