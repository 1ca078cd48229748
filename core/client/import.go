package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
)

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
