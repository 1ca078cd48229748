package client

import (
	"context"
	"net/http"
	"net/url"
)

// DriftSchema tells what promoting the schemas of another project would change in this one. Content does not count: the
// plan has no content errors and no versions.
func (c *Client) DriftSchema(ctx context.Context, project, against string) (Plan, error) {
	return bare[Plan](ctx, c, http.MethodGet, projectPath(project, "schema", "drift")+"?against="+url.QueryEscape(against), nil)
}

// PromoteSchema deploys the schemas that another project has in force.
func (c *Client) PromoteSchema(ctx context.Context, project, from string, allowDestructive bool) (Plan, error) {
	in := struct {
		FromProject      string `json:"fromProject"`
		Confirm          bool   `json:"confirm"`
		AllowDestructive bool   `json:"allowDestructive,omitzero"`
	}{from, true, allowDestructive}
	return bare[Plan](ctx, c, http.MethodPost, projectPath(project, "schema", "promote"), in)
}

// Coverage is how far the entries of a collection are translated, by their working heads.
type Coverage struct {
	Collection string           `json:"collection"`
	Entries    int              `json:"entries"`
	Fields     []string         `json:"fields"` // the localized ones
	Locales    []LocaleCoverage `json:"locales"`
}

// LocaleCoverage is how far one locale is.
type LocaleCoverage struct {
	Locale   string         `json:"locale"`
	Complete int            `json:"completeEntries"`
	Percent  float64        `json:"percent"` // filled of all entries times localized fields
	Missing  []MissingField `json:"missing"` // most often missing first
	Worklist []MissingEntry `json:"worklist"`
}

// MissingField is a field with the number of entries that lack it.
type MissingField struct {
	Field   string `json:"field"`
	Entries int    `json:"entries"`
}

// MissingEntry is an entry with the fields that it lacks.
type MissingEntry struct {
	EntryID string   `json:"entryId"`
	Slug    *string  `json:"slug"`
	Missing []string `json:"missing"`
}

// Translations tells how far a collection is translated.
func (c *Client) Translations(ctx context.Context, project, collection string) (Coverage, error) {
	return one[Coverage](ctx, c, http.MethodGet, projectPath(project, "collections", collection, "translations"), nil)
}
