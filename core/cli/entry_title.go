package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/wire"
)

// titleLength is how many characters of a title are listed, at most.
const titleLength = 80

// titles say what entries are called.
type titles struct {
	fields  map[string]string // that have the titles, by collection
	locale  string            // that a localized title is shown in; empty: the project has none
	locales []string          // of the project
}

// readTitles reads where titles are. Without schema:read that is not known of any collection, and entries are shown without titles.
func (a *app) readTitles(ctx context.Context) titles {
	fields, err := a.client.TitleFields(ctx, a.project)
	if err != nil || len(fields) == 0 {
		return titles{}
	}
	project, err := a.client.Project(ctx, a.project)
	if err != nil {
		return titles{}
	}
	return titles{fields, deref(project.DefaultLocale), project.Locales}
}

// of is the title of the draft of an entry, or where there is none of what is published; empty where it has none.
func (t titles) of(e wire.Entry) string {
	head := e.Draft
	if head == nil {
		head = e.Published
	}
	field := t.fields[e.Collection]
	if head == nil || field == "" {
		return ""
	}
	fields, _ := fieldValues(head.Fields) // what cannot be read has no title
	title := fields[field]
	if title.Kind() == '{' {
		if values, err := fieldValues(title); err == nil && t.areLocales(values) {
			title = values[t.locale]
		}
	}
	if isNone(title) {
		return ""
	}
	text := strings.TrimSpace(shown(title))
	if first := firstWords(firstLine(text), titleLength); len(first) < len(text) {
		text = first + "…"
	}
	return text
}

// areLocales tells whether a title has a value for each locale, and nothing else.
func (t titles) areLocales(values map[string]jsontext.Value) bool {
	for name := range values {
		if !slices.Contains(t.locales, name) {
			return false
		}
	}
	return true
}
