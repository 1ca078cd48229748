package client

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// Release is one publish of a project.
type Release struct {
	Number      uint64    `json:"number"`
	Title       string    `json:"title"`
	ChangeSetID string    `json:"changeSetId"`
	PublishedAt time.Time `json:"publishedAt"`
	ItemCount   int       `json:"itemCount"`
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
