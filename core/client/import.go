package client

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"svc/core/wire"
)

// ImportOptions says where an import goes.
type ImportOptions struct {
	ChangeSetID   string // empty: each row joins the open change set that has its entry, the others a new one
	ChangeSummary string
	DryRun        bool
}

// ImportLines streams JSON lines, each {data, slug?}, into a collection.
func (c *Client) ImportLines(ctx context.Context, project, collection string, lines io.Reader, o ImportOptions) (wire.Imported, error) {
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
	var out wire.Envelope[wire.Imported]
	err := c.send(ctx, http.MethodPost, path, "application/x-ndjson", lines, &out)
	return out.Data, err
}
