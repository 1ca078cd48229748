package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
)

// Imported is the answer to an import. Entries has one line for each row, in the order of the rows.
type Imported struct {
	ChangeSetID  string        `json:"changeSetId"` // that all rows joined; empty where they joined none, or several
	ChangeSetIDs []string      `json:"changeSetIds"`
	Created      int           `json:"created"`
	Updated      int           `json:"updated"`
	Unchanged    int           `json:"unchanged"`
	Conflicts    int           `json:"conflicts"`
	Entries      []ImportedRow `json:"entries"`
	Errors       []Issue       `json:"errors"`
}

// ImportedRow is what became of a row: created, updated, skipped, or a conflict, which its error explains. A dry run has no id
// for what it would create, and the change set only of rows that would join one that exists.
type ImportedRow struct {
	ID          string    `json:"id"`
	Slug        string    `json:"slug"`
	Outcome     string    `json:"outcome"`
	ChangeSetID string    `json:"changeSetId"`
	Error       *RowError `json:"error"`
}

// RowError says why a row was left out, with the entries and change sets that it could be about.
type RowError struct {
	Code         string   `json:"code"`
	Detail       string   `json:"detail"`
	EntryIDs     []string `json:"entryIds"`
	ChangeSetIDs []string `json:"changeSetIds"`
}

// ImportOptions says where an import goes.
type ImportOptions struct {
	ChangeSetID   string // empty: each row joins the open change set that has its entry, the others a new one
	ChangeSummary string
	DryRun        bool
}

// ImportLines streams JSON lines, each {data, slug?}, into a collection.
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
