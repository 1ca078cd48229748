package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// What is declared of the fields that change.
const (
	textKind   = `"kind":{"type":"text"}`
	localKind  = `"kind":{"type":"text","localized":true}`
	numberRank = `"rank":{"type":"number"}`
	textRank   = `"rank":{"type":"text"}`
)

// filterStep is something that is deployed or published, and what lists may be filtered by afterwards.
type filterStep struct {
	name  string
	do    func()
	types fieldTypes
}

// fieldTypes are the types of fields: text, number or date.
type fieldTypes map[string]string

func declared(rank string) fieldTypes {
	types := fieldTypes{"title": "text", "day": "date", "kind": "text"}
	if rank != "" {
		types["rank"] = rank
	}
	return types
}

// steps does one thing after the other and looks at the head after each.
func (f *filterLoad) steps() {
	f.t.Helper()
	for _, step := range []filterStep{
		{"an edit", func() { f.edit(func(n int) map[string]any { return every(7, n, "day", "2026-12-24") }) }, declared("number")},
		{"the rank goes", func() { f.push(textKind) }, declared("")},
		{"the rank comes back", func() { f.push(numberRank, textKind) }, declared("number")},
		{"it goes again", func() { f.push(textKind) }, declared("")},
		{"and its values", func() {
			f.edit(func(n int) map[string]any { return every(1, n, "day", fmt.Sprintf("2026-01-%02d", 1+n%28)) })
		}, declared("")},
		{"the rank is a text", func() { f.push(textKind, textRank) }, declared("text")},
		{"some have one", func() { f.edit(func(n int) map[string]any { return every(3, n, "rank", fmt.Sprint("r", n%4)) }) }, declared("text")},
		{"kinds are localized", func() { f.push(localKind, textRank) }, declared("text")},
		{"some are translated", func() { f.edit(translated) }, declared("text")},
		{"the rest is kept for the default locale, which may not change before", func() {
			f.edit(func(n int) map[string]any { return every(1, n, "day", fmt.Sprintf("2026-02-%02d", 1+n%28)) })
		}, declared("text")},
		{"another locale is the default one", func() { f.settings([]string{"en", "de"}, "de"); f.edit(dated) }, declared("text")},
		{"the rank goes once more", func() { f.push(localKind) }, declared("")},
		{"and comes back with the first default", func() { f.settings([]string{"de", "en"}, "en"); f.push(localKind, textRank); f.edit(dated) }, declared("text")},
	} {
		step.do()
		f.looks(step)
	}
}

// every is an edit of one post in so many.
func every(nth, n int, field string, value any) map[string]any {
	if n%nth > 0 {
		return nil
	}
	return map[string]any{field: value}
}

// translated gives a third of the posts kinds in both locales, and a few in German alone.
func translated(n int) map[string]any {
	switch {
	case n%3 == 0:
		return map[string]any{"kind": map[string]string{"en": fmt.Sprint("k", n%4), "de": fmt.Sprint("art", n%5)}}
	case n%11 == 1:
		return map[string]any{"kind": map[string]string{"de": "k2"}}
	}
	return nil
}

// dated edits two posts, so that there is a release.
func dated(n int) map[string]any { return every(30, n, "day", fmt.Sprintf("2026-05-%02d", 1+n%28)) }

// looks holds the head against what the list without filters shows, while nothing is published.
func (f *filterLoad) looks(step filterStep) {
	f.t.Helper()
	f.landing.Lock()
	defer f.landing.Unlock()
	f.level(f.project.ID, f.edges()...)
	for _, locale := range []string{"", "en", "de"} {
		shown := f.shown(locale)
		for _, text := range filterQueries {
			query, err := url.ParseQuery(text)
			f.check(err)
			f.holdsQuery(step, query, locale, shown)
		}
	}
}

// shown is the whole list as a reader in a locale sees it; in the default one where none is named.
func (f *filterLoad) shown(locale string) []filterRow {
	f.t.Helper()
	if locale == "" {
		locale = f.fallback
	}
	page, err := f.same(f.nodes(), f.list("posts")+"?limit=100&locale="+locale).Page()
	f.check(err)
	if len(page.Entries) != filterEntries+filterOthers {
		f.t.Fatalf("the list has %d posts", len(page.Entries))
	}
	var rows []filterRow
	for _, e := range page.Entries {
		row, err := filterRowOf(e)
		f.check(err)
		rows = append(rows, row)
	}
	return rows
}

// holdsQuery compares one list on all nodes with what it should be.
func (f *filterLoad) holdsQuery(step filterStep, query url.Values, locale string, shown []filterRow) {
	f.t.Helper()
	want, refusal := expected(query, step.types, shown)
	query.Set("limit", "100")
	if locale != "" {
		query.Set("locale", locale)
	}
	answer := f.same(f.nodes(), f.list("posts")+"?"+query.Encode())
	if refusal != "" {
		problem, err := answer.Problem()
		f.check(err)
		if answer.Status != http.StatusBadRequest || !strings.Contains(problem.Detail, refusal) {
			f.t.Errorf("%s: an answer without %q: %s", step.name, refusal, answer)
		}
		return
	}
	page, err := answer.Page()
	f.check(err)
	var got []string
	for _, e := range page.Entries {
		got = append(got, e.ID)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		f.t.Errorf("%s: %s has %d posts, not %d:\n%v\nnot\n%v", step.name, answer.Path, len(got), len(want), got, want)
	}
}
