package read_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

const includeSchema = `{"name":"posts","visibility":"public","fields":{"title":{"type":"text"},"many":{"type":"reference","to":"posts","multiple":true},"draft":{"type":"reference","to":"drafts"}}}`

// including is a site of nine posts. Each includes post 1, which has 1 MiB of text, as often as its number says.
func including(t *testing.T) *site {
	s := newSite(t)
	err := s.memory.PutSchema(t.Context(), readtest.Project(1), readtest.Schema{Number: 2, From: 2, Collections: []readtest.Version{
		{Name: "posts", Version: 2, Label: "Posts", Canonical: []byte(includeSchema)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("x", 1<<20)
	var items []readtest.Item
	for n := uint64(1); n <= 9; n++ {
		many := slices.Repeat([]string{`"` + string(readtest.Entry(1)) + `"`}, int(n))
		items = append(items, readtest.Item{
			Entry: readtest.Entry(n), Collection: "posts", Revision: readtest.Revision(100 + n), SchemaVersion: 2,
			Fields: fmt.Sprintf(`{"title":%q,"many":[%s]}`, text, strings.Join(many, ",")),
		})
		text = "short"
	}
	items[8].Fields = fmt.Sprintf(`{"many":[%s]}`, strings.Join(slices.Repeat([]string{`"` + string(readtest.Entry(1)) + `"`}, 40), ","))
	err = s.memory.Publish(t.Context(), readtest.Project(1), readtest.Release{
		Release: content.Release{Number: 2, PublishedAt: now.Add(-time.Minute)}, Items: items,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAPageEndsWhereIncludedEntriesMakeItLarge: a page ends with the entry that brings it to 4 MiB, and the next one goes on behind
// it, whatever is included there.
func TestAPageEndsWhereIncludedEntriesMakeItLarge(t *testing.T) {
	s := including(t)
	ask := func(raw string) string {
		t.Helper()
		resp := s.engine.Serve(t.Context(), &read.Request{Method: "GET", Project: "shop", Collection: "posts", Route: query.RouteList, RawQuery: raw})
		defer resp.Release()
		if resp.Status != 200 {
			t.Fatalf("%s: %d %s", raw, resp.Status, resp.Body)
		}
		return string(resp.Body)
	}
	// Posts come in the order 9, 8 … 1. The filter leaves 9 out, which includes more than an answer may have.
	raw, want := "filter[title][exists]=true&include=many", []int{1, 1, 1, 1, 1, 2, 1}
	var got []int
	for cursor := ""; len(got) < 20; {
		body := ask(raw + cursor)
		got = append(got, strings.Count(body, `"meta"`))
		_, rest, more := strings.Cut(body, `"nextCursor":"`)
		if !more {
			break
		}
		next, _, _ := strings.Cut(rest, `"`)
		cursor = "&cursor=" + next
	}
	if !slices.Equal(got, want) {
		t.Errorf("pages of %v entries, want %v", got, want)
	}
	if n := strings.Count(ask("limit=8&fields=title"), `"meta"`); n != 8 {
		t.Errorf("without include a page has %d", n)
	}
}

func TestAnEntryThatIncludesTooMuchIsRefused(t *testing.T) {
	s := including(t)
	resp := s.engine.Serve(t.Context(), &read.Request{
		Method: "GET", Project: "shop", Collection: "posts", Route: query.RouteEntry, Ref: string(readtest.Entry(9)), RawQuery: "include=many",
	})
	defer resp.Release()
	if resp.Status != 413 || !strings.Contains(string(resp.Body), "name fewer fields in include") {
		t.Errorf("%d %.200s", resp.Status, resp.Body)
	}
}

// TestAnIncludeThatNeedsAKeyFailsWhenNoOneCanTell: null would say that there is nothing to see.
func TestAnIncludeThatNeedsAKeyFailsWhenNoOneCanTell(t *testing.T) {
	s := including(t)
	s.engine.Keys = absent{}
	key := "Bearer " + credential.Mint(credential.APIKey).Text()
	s.want("a public collection", s.get(read.Request{Authorization: key, RawQuery: "limit=1&include=many&fields=many&filter[title]=short"}), "ok 2 "+revalidate)
	s.want("a private one", s.get(read.Request{Authorization: key, RawQuery: "limit=1&include=draft"}), "later 2 no-store 3")
	s.want("a private one that is not shown", s.get(read.Request{Authorization: key, RawQuery: "limit=1&include=draft&fields=title"}), "ok 2 "+revalidate)
	s.want("a private one without a key", s.get(read.Request{RawQuery: "limit=1&include=draft"}), "ok 2 "+revalidate)
}
