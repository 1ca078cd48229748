package client

import (
	"context"
	"net/http"
	"net/url"
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

// DiscardDraft deletes an entry that was never published and that no open change set stages.
func (c *Client) DiscardDraft(ctx context.Context, project, entry string) (Entry, error) {
	return one[Entry](ctx, c, http.MethodDelete, projectPath(project, "entries", entry, "draft"), nil)
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

// AllEntries reads every entry of a collection.
func (c *Client) AllEntries(ctx context.Context, project, collection string) ([]Entry, error) {
	return all[Entry](ctx, c, projectPath(project, "entries"), url.Values{"collection": {collection}})
}

// Reorder makes the editorial arrangement of a collection exactly this list.
func (c *Client) Reorder(ctx context.Context, project, collection string, order []string) error {
	in := map[string][]string{"order": order}
	return c.call(ctx, http.MethodPost, projectPath(project, "collections", collection, "reorder"), in, nil)
}
