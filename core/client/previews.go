package client

import (
	"context"
	"net/http"
	"time"

	"svc/core/wire"
	"svc/shared/content"
)

// CreatePreview makes a token that shows what a change set stages for an entry, or all of it without one. It lives as long as given in
// whole seconds, or without a life for the time that the service gives it.
func (c *Client) CreatePreview(ctx context.Context, project, changeSet, entry string, life time.Duration) (wire.CreatedPreview, error) {
	var in wire.NewPreview
	if entry != "" {
		in.Entry = wire.Some(content.EntryID(entry))
	}
	if life > 0 {
		in.ExpiresInSeconds = wire.Some(int64(life / time.Second))
	}
	return one[wire.CreatedPreview](ctx, c, http.MethodPost, projectPath(project, "change-sets", changeSet, "previews"), in)
}

// RecentPreviews reads the n newest preview tokens of a change set, or of the project without one, and tells whether there are more;
// 0 takes all.
func (c *Client) RecentPreviews(ctx context.Context, project, changeSet string, n int) ([]wire.Preview, bool, error) {
	path := projectPath(project, "previews")
	if changeSet != "" {
		path = projectPath(project, "change-sets", changeSet, "previews")
	}
	return first[wire.Preview](ctx, c, path, nil, n)
}

// RevokePreview ends a preview token.
func (c *Client) RevokePreview(ctx context.Context, project, preview string) (wire.Preview, error) {
	return one[wire.Preview](ctx, c, http.MethodDelete, projectPath(project, "previews", preview), nil)
}
