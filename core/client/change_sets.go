package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Head is one of the states of an entry that the management API shows: its published or its draft revision.
type Head struct {
	Revision    string         `json:"revision"`
	Slug        *string        `json:"slug"`
	Fields      jsontext.Value `json:"fields"`
	PublishedAt *time.Time     `json:"publishedAt"`
}

// Entry is an entry as the management API shows it.
type Entry struct {
	ID         string  `json:"id"`
	Collection string  `json:"collection"`
	Slug       *string `json:"slug"`
	Status     string  `json:"status"`
	Published  *Head   `json:"published"`
	Draft      *Head   `json:"draft"`
}

// Written is the answer to a write: the entry, its new revision and the change set that it joined.
type Written struct {
	Entry     Entry     `json:"entry"`
	Revision  Revision  `json:"revision"`
	ChangeSet ChangeSet `json:"changeSet"`
}

// Revision is an immutable state of an entry.
type Revision struct {
	ID            string         `json:"id"`
	Slug          *string        `json:"slug"`
	Fields        jsontext.Value `json:"fields"`
	SchemaVersion int            `json:"schemaVersion"`
}

// ChangeSet is a change set.
type ChangeSet struct {
	ID            string    `json:"id"`
	Title         string    `json:"title"`
	Description   string    `json:"description"`
	Status        string    `json:"status"`
	ReleaseNumber *uint64   `json:"releaseNumber"`
	CreatedAt     time.Time `json:"createdAt"`
}

// Item is what a change set does to one resource.
type Item struct {
	ResourceType     string  `json:"resourceType"`
	ResourceID       string  `json:"resourceId"`
	Operation        string  `json:"operation"`
	BaseRevisionID   *string `json:"baseRevisionId"`
	TargetRevisionID *string `json:"targetRevisionId"`
	Collection       string  `json:"collection"`
	Slug             *string `json:"slug"`
	ChangeSummary    string  `json:"changeSummary"`
}

// Release is one publish of a project.
type Release struct {
	Number      uint64    `json:"number"`
	Title       string    `json:"title"`
	ChangeSetID string    `json:"changeSetId"`
	PublishedAt time.Time `json:"publishedAt"`
	ItemCount   int       `json:"itemCount"`
}

// Published is the answer to a publish.
type Published struct {
	ChangeSet         ChangeSet `json:"changeSet"`
	PublishedEntryIDs []string  `json:"publishedEntryIds"`
}

// Validation is what publishing a change set would be refused for.
type Validation struct {
	Valid  bool    `json:"valid"`
	Errors []Issue `json:"errors"`
}

// NewEntry is a write of a new entry.
type NewEntry struct {
	Data          any     `json:"data"`
	Slug          *string `json:"slug,omitempty"`
	ChangeSetID   string  `json:"changeSetId,omitempty"`
	ChangeSummary string  `json:"changeSummary,omitempty"`
}

// Patch is a write of an entry that exists: it replaces the named top-level fields, and null clears one.
type Patch struct {
	Data               any     `json:"data"`
	Slug               *string `json:"slug,omitempty"`
	ChangeSetID        string  `json:"changeSetId,omitempty"`
	ChangeSummary      string  `json:"changeSummary,omitempty"`
	ExpectedRevisionID string  `json:"expectedRevisionId,omitempty"`
}

// CreateEntry stages a new entry.
func (c *Client) CreateEntry(ctx context.Context, project, collection string, in NewEntry) (Written, error) {
	return one[Written](ctx, c, http.MethodPost, projectPath(project, "collections", collection, "entries"), in)
}

// PatchEntry stages an edit.
func (c *Client) PatchEntry(ctx context.Context, project, entry string, in Patch) (Written, error) {
	return one[Written](ctx, c, http.MethodPatch, projectPath(project, "entries", entry), in)
}

// Staged is the answer to an unpublish or a delete.
type Staged struct {
	ChangeSetID string `json:"changeSetId"`
	Staged      string `json:"staged"`
}

// UnpublishEntry stages the unpublishing of an entry; an empty change set lets the service choose.
func (c *Client) UnpublishEntry(ctx context.Context, project, entry, changeSet string) (Staged, error) {
	return bare[Staged](ctx, c, http.MethodPost, projectPath(project, "entries", entry, "unpublish")+changeSetQuery(changeSet), nil)
}

// DeleteEntry stages the deletion of an entry.
func (c *Client) DeleteEntry(ctx context.Context, project, entry, changeSet string) (Staged, error) {
	return bare[Staged](ctx, c, http.MethodDelete, projectPath(project, "entries", entry)+changeSetQuery(changeSet), nil)
}

func changeSetQuery(changeSet string) string {
	if changeSet == "" {
		return ""
	}
	return "?" + url.Values{"changeSetId": {changeSet}}.Encode()
}

// Entry reads an entry with its published and draft heads.
func (c *Client) Entry(ctx context.Context, project, entry string) (Entry, error) {
	return one[Entry](ctx, c, http.MethodGet, projectPath(project, "entries", entry), nil)
}

// Entries reads a page of entries; query takes collection, status, limit and cursor.
func (c *Client) Entries(ctx context.Context, project string, query url.Values) (Page[Entry], error) {
	return page[Entry](ctx, c, projectPath(project, "entries"), query)
}

// Reorder makes the editorial arrangement of a collection exactly this list.
func (c *Client) Reorder(ctx context.Context, project, collection string, order []string) error {
	in := map[string][]string{"order": order}
	return c.call(ctx, http.MethodPost, projectPath(project, "collections", collection, "reorder"), in, nil)
}

// Imported is the answer to an import. Entries has one line for each row, in the order of the rows.
type Imported struct {
	ChangeSetID string        `json:"changeSetId"`
	Created     int           `json:"created"`
	Updated     int           `json:"updated"`
	Unchanged   int           `json:"unchanged"`
	Entries     []ImportedRow `json:"entries"`
	Errors      []Issue       `json:"errors"`
}

// ImportedRow is what became of a row: it was created, updated or skipped. A dry run has no id for what it would create.
type ImportedRow struct {
	ID      string `json:"id"`
	Slug    string `json:"slug"`
	Outcome string `json:"outcome"`
}

// ImportOptions says where an import goes.
type ImportOptions struct {
	ChangeSetID   string
	ChangeSummary string
	DryRun        bool
}

// ImportLines streams JSON lines, each {data, slug?}, into a collection, as one change set.
func (c *Client) ImportLines(ctx context.Context, project, collection string, lines io.Reader, o ImportOptions) (Imported, error) {
	query := url.Values{}
	if o.ChangeSetID != "" {
		query.Set("changeSetId", o.ChangeSetID)
	}
	if o.ChangeSummary != "" {
		query.Set("changeSummary", o.ChangeSummary)
	}
	if o.DryRun {
		query.Set("dryRun", "true")
	}
	path := projectPath(project, "collections", collection, "import")
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	var out data[Imported]
	err := c.send(ctx, http.MethodPost, path, "application/x-ndjson", lines, &out)
	return out.Data, err
}

// CreateChangeSet opens a change set.
func (c *Client) CreateChangeSet(ctx context.Context, project, title, description string) (ChangeSet, error) {
	in := map[string]string{"title": title}
	if description != "" {
		in["description"] = description
	}
	return one[ChangeSet](ctx, c, http.MethodPost, projectPath(project, "change-sets"), in)
}

// ChangeSets reads all change sets, newest first; an empty status takes every one.
func (c *Client) ChangeSets(ctx context.Context, project, status string) ([]ChangeSet, error) {
	sets, _, err := c.RecentChangeSets(ctx, project, status, 0)
	return sets, err
}

// RecentChangeSets reads the n newest change sets and tells whether there are more; 0 takes all, and an empty status
// every one.
func (c *Client) RecentChangeSets(ctx context.Context, project, status string, n int) ([]ChangeSet, bool, error) {
	query := url.Values{}
	if status != "" {
		query.Set("status", status)
	}
	return first[ChangeSet](ctx, c, projectPath(project, "change-sets"), query, n)
}

// ChangeSetItems reads everything that is staged in a change set, newest resource first.
func (c *Client) ChangeSetItems(ctx context.Context, project, id string) ([]Item, error) {
	return all[Item](ctx, c, projectPath(project, "change-sets", id, "items"), nil)
}

// RecentItems is ChangeSetItems for the first n, and tells whether there are more; 0 takes all.
func (c *Client) RecentItems(ctx context.Context, project, id string, n int) ([]Item, bool, error) {
	return first[Item](ctx, c, projectPath(project, "change-sets", id, "items"), nil, n)
}

// ChangeSet reads one change set.
func (c *Client) ChangeSet(ctx context.Context, project, id string) (ChangeSet, error) {
	return one[ChangeSet](ctx, c, http.MethodGet, projectPath(project, "change-sets", id), nil)
}

// Validate tells what publishing would be refused for.
func (c *Client) Validate(ctx context.Context, project, id string) (Validation, error) {
	return bare[Validation](ctx, c, http.MethodPost, projectPath(project, "change-sets", id, "validate"), nil)
}

// Publish publishes a change set as the next release.
func (c *Client) Publish(ctx context.Context, project, id string) (Published, error) {
	out, _, err := c.PublishEverywhere(ctx, project, id, 0)
	return out, err
}

// PublishEverywhere publishes and then waits, at most as long as given in whole seconds, until every edge that holds the
// project has the release. Everywhere is false where some edge did not report so in time; the release is published
// all the same.
func (c *Client) PublishEverywhere(ctx context.Context, project, id string, wait time.Duration) (out Published, everywhere bool, err error) {
	path := projectPath(project, "change-sets", id, "publish")
	everywhere, err = c.everywhere(ctx, http.MethodPost, path, wait, map[string]bool{"confirm": true}, &out)
	return out, everywhere, err
}

// Close abandons a change set.
func (c *Client) Close(ctx context.Context, project, id string) (ChangeSet, error) {
	return one[ChangeSet](ctx, c, http.MethodPost, projectPath(project, "change-sets", id, "close"), nil)
}

// Releases reads all releases, newest first.
func (c *Client) Releases(ctx context.Context, project string) ([]Release, error) {
	return all[Release](ctx, c, projectPath(project, "releases"), nil)
}

// RecentReleases reads the n newest releases and tells whether there are more; 0 takes all.
func (c *Client) RecentReleases(ctx context.Context, project string, n int) ([]Release, bool, error) {
	return first[Release](ctx, c, projectPath(project, "releases"), nil, n)
}

// Release reads one release.
func (c *Client) Release(ctx context.Context, project string, number uint64) (Release, error) {
	return one[Release](ctx, c, http.MethodGet, projectPath(project, "releases", strconv.FormatUint(number, 10)), nil)
}
