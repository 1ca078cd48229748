package entry_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/postgres"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/schema"
	"svc/shared/search"
	"svc/shared/testrand"
	"svc/shared/value"
)

// search returns the ids of the entries that a search finds, in pages of a size.
func (b *bed) search(collection, q string, size int) (found []content.EntryID) {
	b.Helper()
	query, err := search.Parse(q)
	b.OK(err)
	for page := (postgres.Page{Limit: size}); ; {
		list, err := entry.List(b.Context(), b.Pool, b.Actor, b.ID, entry.Filter{Collection: collection, Search: query}, page)
		b.OK(err)
		for _, e := range list.Items {
			found = append(found, e.ID)
		}
		if page.Cursor = list.NextCursor; page.Cursor == "" {
			return found
		}
	}
}

func TestListsSearchDrafts(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	one := b.Create(nil, "posts", `{"title":"Café au lait","body":"The **quick** brown fox"}`).Entry.ID
	two := b.Create(nil, "posts", `{"title":"Quick","body":"brown bears and 中文内容"}`).Entry.ID
	ada := b.Create(nil, "authors", `{"name":"Ada Quick"}`).Entry.ID
	for _, c := range []struct {
		collection, q string
		want          []content.EntryID
	}{
		{"", "quick", []content.EntryID{ada, two, one}},
		{"posts", "quick", []content.EntryID{two, one}},
		{"posts", "quick brown", []content.EntryID{two, one}},
		{"posts", `"quick brown"`, []content.EntryID{one}}, // a phrase stays in one text
		{"posts", `brown -"quick brown"`, []content.EntryID{two}},
		{"posts", "cafe", []content.EntryID{one}},
		{"posts", "文内", []content.EntryID{two}},
		{"posts", "uick", nil},
		{"posts", "-nothing", []content.EntryID{two, one}},
		{"posts", "cafe-au-lait", []content.EntryID{one}}, // the slug is a text
		{"posts", "%", []content.EntryID{two, one}},       // asks for nothing
	} {
		if got := b.search(c.collection, c.q, 1); !slices.Equal(got, c.want) {
			t.Errorf("%s in %q finds %v, want %v", c.q, c.collection, got, c.want)
		}
	}
}

// A search finds what drafts say now, whatever it found before.
func TestSearchesSeeEveryEdit(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	set := b.Set("First")
	id := b.Create(set, "posts", `{"title":"One","body":"before"}`).Entry.ID
	want := func(q string, n int) {
		t.Helper()
		if got := b.search("posts", q, 10); len(got) != n {
			t.Errorf("%s finds %v, want %d", q, got, n)
		}
	}
	want("before", 1)
	b.Publish(set)
	other := b.Set("Second")
	b.Patch(other, id, `{"body":"after"}`)
	want("before", 0)
	want("after", 1)
	_, err := changeset.Close(t.Context(), b.Pool, b.Actor, b.ID, string(other.ID))
	b.OK(err)
	want("before", 1)
	want("after", 0)
	without := entrytest.Proposal(strings.Replace(entrytest.Posts, `"body": {"type": "markdown"},`, ``, 1), entrytest.Authors)
	without.AllowDestructive = true
	_, err = schemadeploy.Push(t.Context(), b.Pool, b.Actor, b.ID, without)
	b.OK(err)
	want("before", 0) // readers of the draft do not see the field any more
	b.Push(entrytest.Posts, entrytest.Authors)
	want("before", 1)
}

// Searches of drafts find what searches of published entries would.
func TestSearchesOfDraftsAgreeWithThoseOfReaders(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	r := testrand.New(t)
	words := []string{"a", "b", "É", "e", "don't", "v1.2", "中", "文", "the-end", "ß", "-"}
	text := func(most int) string {
		var all []string
		for range 1 + r.IntN(most) {
			all = append(all, words[r.IntN(len(words))])
		}
		return strings.Join(all, []string{" ", " ", ". ", "\\n\\n"}[r.IntN(4)])
	}
	posts, err := schema.Parse([]byte(entrytest.Posts))
	b.OK(err)
	drafts := map[content.EntryID][]byte{}
	for i := range 40 {
		w := b.Create(nil, "posts", fmt.Sprintf(`{"title":"%s x%d","body":"%s"}`, text(3), i, text(12)))
		drafts[w.Entry.ID] = w.Revision.Fields
	}
	found := 0
	for range 150 * testrand.Scale {
		q := queryOf(r, text)
		query, err := search.Parse(q)
		b.OK(err)
		var want []content.EntryID
		for id, fields := range drafts {
			if query.Match(func(yield func(string) bool) {
				for text := range value.Texts(posts, value.Locales{}, "", fields) {
					if !yield(text) {
						return
					}
				}
			}) {
				want = append(want, id)
			}
		}
		slices.Sort(want)
		slices.Reverse(want)
		if got := b.search("posts", q, 100); !slices.Equal(got, want) {
			t.Fatalf("%q finds %v, want %v", q, got, want)
		}
		found += len(want)
	}
	if found == 0 {
		t.Error("nothing was found")
	}
}

// queryOf draws words, phrases and exclusions.
func queryOf(r *rand.Rand, text func(most int) string) string {
	q := ""
	for range 1 + r.IntN(3) {
		part := strings.ReplaceAll(text(3), `\n`, " ")
		if r.IntN(2) == 0 {
			part = `"` + part + `"`
		}
		q += []string{"", "", "-"}[r.IntN(3)] + part + " "
	}
	return q
}
