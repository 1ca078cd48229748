package store

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"

	"svc/shared/content"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// comparison holds what can be read of one view against another's.
type comparison struct {
	t           fataler
	got, want   read.View
	project     content.ProjectID
	collections []string
	entries     []content.EntryID
	slugs       []string
	limit       int
}

func (c *comparison) at(pin uint64) {
	c.t.Helper()
	ctx := context.Background()
	for _, collection := range c.collections {
		name := fmt.Sprintf("%s at %d", collection, pin)
		c.same("list of "+name, listAll(c.t, c.got, collection, pin, c.limit), listAll(c.t, c.want, collection, pin, c.limit))
		for _, e := range c.entries {
			row, found, err := c.got.ByID(ctx, collection, e, pin)
			wantRow, wantFound, _ := c.want.ByID(ctx, collection, e, pin)
			c.sameRow(fmt.Sprint(e, " in ", name), row, found, err, wantRow, wantFound)
		}
		for _, slug := range c.slugs {
			row, found, err := c.got.BySlug(ctx, collection, slug, pin)
			wantRow, wantFound, _ := c.want.BySlug(ctx, collection, slug, pin)
			c.sameRow(slug+" in "+name, row, found, err, wantRow, wantFound)
			if !wantFound {
				c.former(collection, slug, pin)
			}
		}
		c.frame(collection, pin)
	}
	c.answers(pin)
	r, found, err := c.got.Release(ctx, pin)
	wantRelease, wantFound, _ := c.want.Release(ctx, pin)
	if err != nil || found != wantFound || r != wantRelease {
		c.t.Fatalf("release %d: %v %v %v, want %v %v", pin, r, found, err, wantRelease, wantFound)
	}
	if found {
		at, _, err := c.got.ReleaseAt(ctx, r.PublishedAt)
		if err != nil || at != r {
			c.t.Fatalf("release %d at its time: %v %v", pin, at, err)
		}
	}
}

// answers compares what readers get, byte for byte.
func (c *comparison) answers(pin uint64) {
	c.t.Helper()
	reads := readtest.Reads{Project: c.project, Collections: c.collections, Limit: c.limit}
	for i := c.limit % 5; i < len(c.entries); i += 5 { // the rest was compared row by row
		reads.Entries = append(reads.Entries, c.entries[i])
	}
	for i := c.limit % 5; i < len(c.slugs); i += 5 {
		reads.Slugs = append(reads.Slugs, c.slugs[i])
	}
	got, err := reads.Answers(context.Background(), c.got, pin)
	if err != nil {
		c.t.Fatal(err)
	}
	want, err := reads.Answers(context.Background(), c.want, pin)
	if err != nil {
		c.t.Fatal(err)
	}
	wantLines(c.t, got, want)
}

func wantLines(t fataler, got, want []string) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("a reader gets\n%s\nand should get\n%s", got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d answers, want %d", len(got), len(want))
	}
}

func (c *comparison) former(collection, slug string, pin uint64) {
	c.t.Helper()
	got, found, err := c.got.FormerSlug(context.Background(), collection, slug, pin)
	want, wantFound, _ := c.want.FormerSlug(context.Background(), collection, slug, pin)
	if err != nil || got != want || found != wantFound {
		c.t.Fatalf("former slug %s in %s at %d: %q %v %v, want %q %v", slug, collection, pin, got, found, err, want, wantFound)
	}
}

func (c *comparison) frame(collection string, pin uint64) {
	c.t.Helper()
	got, err := c.got.Frame(context.Background(), collection, pin)
	want, _ := c.want.Frame(context.Background(), collection, pin)
	if err != nil || got.Version != want.Version || (got.Schema == nil) != (want.Schema == nil) ||
		got.DefaultLocale != want.DefaultLocale || !slices.Equal(got.Locales, want.Locales) {
		c.t.Fatalf("frame of %s at %d: %+v %v, want %+v", collection, pin, got, err, want)
	}
}

func (c *comparison) same(what string, got, want any) {
	c.t.Helper()
	if !reflect.DeepEqual(got, want) {
		c.t.Fatalf("%s in pages of %d:\n got %v\nwant %v", what, c.limit, got, want)
	}
}

func (c *comparison) sameRow(what string, got read.Row, found bool, err error, want read.Row, wantFound bool) {
	c.t.Helper()
	want.Key = read.Key{}
	if err != nil || found != wantFound || found && !reflect.DeepEqual(got, want) {
		c.t.Fatalf("%s: %v %v %v, want %v %v", what, got, found, err, want, wantFound)
	}
}

// listAll walks a list by pages.
func listAll(t fataler, v read.View, collection string, pin uint64, limit int) []read.Row {
	t.Helper()
	var out []read.Row
	q := read.ListQuery{Collection: collection, Pin: pin, Limit: limit}
	for {
		page, err := v.List(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Rows) > limit || page.More && len(page.Rows) < limit {
			t.Fatalf("a page of %d has %d rows, more: %v", limit, len(page.Rows), page.More)
		}
		for _, row := range page.Rows {
			row.Fields = bytes.Clone(row.Fields)
			out = append(out, row)
		}
		if !page.More {
			return out
		}
		after := out[len(out)-1].Key
		q.After = &after
	}
}

func entryIDs(n uint64) (out []content.EntryID) {
	for i := range n {
		out = append(out, readtest.Entry(i))
	}
	return out
}
