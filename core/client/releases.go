package client

import (
	"context"
	"net/http"
	"strconv"

	"svc/core/wire"
)

// Releases reads all releases, newest first.
func (c *Client) Releases(ctx context.Context, project string) ([]wire.Release, error) {
	return all[wire.Release](ctx, c, projectPath(project, "releases"), nil)
}

// RecentReleases reads the n newest releases and tells whether there are more; 0 takes all.
func (c *Client) RecentReleases(ctx context.Context, project string, n int) ([]wire.Release, bool, error) {
	return first[wire.Release](ctx, c, projectPath(project, "releases"), nil, n)
}

// Release reads one release.
func (c *Client) Release(ctx context.Context, project string, number uint64) (wire.Release, error) {
	return one[wire.Release](ctx, c, http.MethodGet, projectPath(project, "releases", strconv.FormatUint(number, 10)), nil)
}
