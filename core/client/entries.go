package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"

	"svc/core/wire"
	"svc/shared/schema"
)

// NewEntry is a write of a new entry. Data is what encodes as its fields; an empty change set lets the service choose.
type NewEntry struct {
	Data          any
	Slug          *string
	ChangeSetID   string
	ChangeSummary string
}

// Patch is a write of an entry that exists: it replaces the named top-level fields, and null clears one.
type Patch struct {
	Data               any
	Slug               *string
	ChangeSetID        string
	ChangeSummary      string
	ExpectedRevisionID string
}

// CreateEntry stages a new entry.
func (c *Client) CreateEntry(ctx context.Context, project, collection string, in NewEntry) (wire.Written, error) {
	data, err := json.Marshal(in.Data)
	if err != nil {
		return wire.Written{}, fmt.Errorf("encoding an entry: %w", err)
	}
	return one[wire.Written](ctx, c, http.MethodPost, projectPath(project, "collections", collection, "entries"), wire.NewEntry{
		Data: data, Slug: in.Slug, ChangeSetID: given(in.ChangeSetID).Value, ChangeSummary: in.ChangeSummary,
	})
}

// PatchEntry stages an edit.
func (c *Client) PatchEntry(ctx context.Context, project, entry string, in Patch) (wire.Written, error) {
	data, err := json.Marshal(in.Data)
	if err != nil {
		return wire.Written{}, fmt.Errorf("encoding an entry: %w", err)
	}
	return one[wire.Written](ctx, c, http.MethodPatch, projectPath(project, "entries", entry), wire.EntryEdit{
		Data: data, Slug: wire.Optional[string]{Value: in.Slug}, ChangeSetID: given(in.ChangeSetID),
		ChangeSummary: given(in.ChangeSummary), ExpectedRevisionID: given(in.ExpectedRevisionID),
	})
}

// given is a member that is left out where the text is empty.
func given(text string) wire.Optional[string] {
	if text == "" {
		return wire.Optional[string]{}
	}
	return wire.Some(text)
}

// UnpublishEntry stages the unpublishing of an entry; an empty change set lets the service choose.
func (c *Client) UnpublishEntry(ctx context.Context, project, entry, changeSet string) (wire.Staged, error) {
	return bare[wire.Staged](ctx, c, http.MethodPost, projectPath(project, "entries", entry, "unpublish")+changeSetQuery(changeSet), nil)
}

// DeleteEntry stages the deletion of an entry.
func (c *Client) DeleteEntry(ctx context.Context, project, entry, changeSet string) (wire.Staged, error) {
	return bare[wire.Staged](ctx, c, http.MethodDelete, projectPath(project, "entries", entry)+changeSetQuery(changeSet), nil)
}

// EntryFilter narrows a list of entries; empty members do not. Slug is that which an entry has, or which an open change set gives it;
// Query is one of words and phrases, UpdatedSince a time, and UpdatedBy the id of a user or an API key.
type EntryFilter struct{ Collection, Status, Slug, Query, UpdatedSince, UpdatedBy string }

// RecentEntries reads the newest n entries, and tells whether there are more; 0 takes all.
func (c *Client) RecentEntries(ctx context.Context, project string, f EntryFilter, n int) ([]wire.Entry, bool, error) {
	query := url.Values{}
	for name, value := range map[string]string{
		"collection": f.Collection, "status": f.Status, "slug": f.Slug, "q": f.Query, "updatedSince": f.UpdatedSince, "updatedBy": f.UpdatedBy,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return first[wire.Entry](ctx, c, projectPath(project, "entries"), query, n)
}

// CollectionKinds reads of which kind the collections are: all of them with schema:read, and the public ones without it.
func (c *Client) CollectionKinds(ctx context.Context, project string) (map[string]schema.Kind, error) {
	list, err := page[struct {
		Name string      `json:"name"` // with schema:read
		Key  string      `json:"key"`  // without
		Kind schema.Kind `json:"kind"`
	}](ctx, c, projectPath(project, "collections"), nil)
	kinds := map[string]schema.Kind{}
	for _, one := range list.Items {
		kinds[one.Name+one.Key] = one.Kind
	}
	return kinds, err
}

// TitleFields reads which field names the entries of each collection that has such a one; none without schema:read.
func (c *Client) TitleFields(ctx context.Context, project string) (map[string]string, error) {
	list, err := page[struct {
		Name   string `json:"name"`
		Schema struct {
			TitleField string `json:"titleField"`
		} `json:"schema"`
	}](ctx, c, projectPath(project, "collections"), nil)
	fields := map[string]string{}
	for _, one := range list.Items {
		if one.Schema.TitleField != "" {
			fields[one.Name] = one.Schema.TitleField
		}
	}
	return fields, err
}

// RestoreRevision stages the content of an earlier revision; without a change set, in the one that has the entry, or in a new one.
func (c *Client) RestoreRevision(ctx context.Context, project, entry, revision, changeSet string) (wire.Written, error) {
	in := wire.Restoration{RevisionID: revision, ChangeSetID: given(changeSet)}
	return one[wire.Written](ctx, c, http.MethodPost, projectPath(project, "entries", entry, "restore"), in)
}

// UndeleteEntry stages the last content of a deleted entry; without a change set, in a new one.
func (c *Client) UndeleteEntry(ctx context.Context, project, entry, changeSet string) (wire.Written, error) {
	in := wire.Target{ChangeSetID: given(changeSet)}
	return one[wire.Written](ctx, c, http.MethodPost, projectPath(project, "entries", entry, "undelete"), in)
}

// DuplicateEntry makes a new entry with the content of another one, in a change set or, without one, in a new one.
func (c *Client) DuplicateEntry(ctx context.Context, project, entry, changeSet string) (wire.Written, error) {
	in := wire.Target{ChangeSetID: given(changeSet)}
	return one[wire.Written](ctx, c, http.MethodPost, projectPath(project, "entries", entry, "duplicate"), in)
}

// DiscardDraft deletes an entry that was never published and that no open change set stages.
func (c *Client) DiscardDraft(ctx context.Context, project, entry string) (wire.Entry, error) {
	return one[wire.Entry](ctx, c, http.MethodDelete, projectPath(project, "entries", entry, "draft"), nil)
}

func changeSetQuery(changeSet string) string {
	if changeSet == "" {
		return ""
	}
	return "?" + url.Values{"changeSetId": {changeSet}}.Encode()
}

// Entry reads an entry with its published and draft heads.
func (c *Client) Entry(ctx context.Context, project, entry string) (wire.Entry, error) {
	return one[wire.Entry](ctx, c, http.MethodGet, projectPath(project, "entries", entry), nil)
}

// EntryInSets reads an entry with the open change sets that stage it.
func (c *Client) EntryInSets(ctx context.Context, project, entry string) (wire.EntryInSets, error) {
	return one[wire.EntryInSets](ctx, c, http.MethodGet, projectPath(project, "entries", entry), nil)
}

// EntryInSet reads an entry with what a change set proposes as its draft; null where that proposes none.
func (c *Client) EntryInSet(ctx context.Context, project, entry, changeSet string) (wire.Entry, error) {
	return one[wire.Entry](ctx, c, http.MethodGet, projectPath(project, "entries", entry)+changeSetQuery(changeSet), nil)
}

// Revision reads a revision of an entry.
func (c *Client) Revision(ctx context.Context, project, entry, revision string) (wire.Revision, error) {
	return one[wire.Revision](ctx, c, http.MethodGet, projectPath(project, "entries", entry, "revisions", revision), nil)
}

// RecentRevisions reads the newest n revisions of an entry, and tells whether there are more; 0 takes all.
func (c *Client) RecentRevisions(ctx context.Context, project, entry string, n int) ([]wire.Revision, bool, error) {
	return first[wire.Revision](ctx, c, projectPath(project, "entries", entry, "revisions"), nil, n)
}

// References reads what an entry refers to, and what refers to it.
func (c *Client) References(ctx context.Context, project, entry string) (wire.References, error) {
	return one[wire.References](ctx, c, http.MethodGet, projectPath(project, "entries", entry, "references"), nil)
}

// AllEntries reads every entry of a collection.
func (c *Client) AllEntries(ctx context.Context, project, collection string) ([]wire.Entry, error) {
	return all[wire.Entry](ctx, c, projectPath(project, "entries"), url.Values{"collection": {collection}})
}

// Reorder makes the editorial arrangement of a collection exactly this list.
func (c *Client) Reorder(ctx context.Context, project, collection string, order []string) error {
	in := map[string][]string{"order": order}
	return c.call(ctx, http.MethodPost, projectPath(project, "collections", collection, "reorder"), in, nil)
}

// ImportOptions says where an import goes.
type ImportOptions struct {
	ChangeSetID   string // empty: each row joins the open change set that has its entry, the others a new one
	ChangeSummary string
	DryRun        bool
}

// ImportLines streams JSON lines, each {data, slug?}, into a collection.
func (c *Client) ImportLines(ctx context.Context, project, collection string, rows io.Reader, o ImportOptions) (wire.Imported, error) {
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
	return one[wire.Imported](ctx, c, http.MethodPost, path, lines{rows})
}
