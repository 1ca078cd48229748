package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"svc/core/wire"
)

// CreateChangeSet opens a change set.
func (c *Client) CreateChangeSet(ctx context.Context, project, title, description string) (wire.ChangeSet, error) {
	in := map[string]string{"title": title}
	if description != "" {
		in["description"] = description
	}
	return one[wire.ChangeSet](ctx, c, http.MethodPost, projectPath(project, "change-sets"), in)
}

// ChangeSets reads all change sets, newest first; an empty status takes every one.
func (c *Client) ChangeSets(ctx context.Context, project, status string) ([]wire.ChangeSet, error) {
	sets, _, err := c.RecentChangeSets(ctx, project, status, 0)
	return sets, err
}

// RecentChangeSets reads the n newest change sets and tells whether there are more; 0 takes all, and an empty status
// every one.
func (c *Client) RecentChangeSets(ctx context.Context, project, status string, n int) ([]wire.ChangeSet, bool, error) {
	query := url.Values{}
	if status != "" {
		query.Set("status", status)
	}
	return first[wire.ChangeSet](ctx, c, projectPath(project, "change-sets"), query, n)
}

// ChangeSetItems reads everything that is staged in a change set, newest resource first.
func (c *Client) ChangeSetItems(ctx context.Context, project, id string) ([]wire.Item, error) {
	return all[wire.Item](ctx, c, projectPath(project, "change-sets", id, "items"), nil)
}

// RecentItems is ChangeSetItems for the first n, and tells whether there are more; 0 takes all.
func (c *Client) RecentItems(ctx context.Context, project, id string, n int) ([]wire.Item, bool, error) {
	return first[wire.Item](ctx, c, projectPath(project, "change-sets", id, "items"), nil, n)
}

// RecentDiff reads what the first n items of a change set change, and tells whether there are more; 0 takes all.
func (c *Client) RecentDiff(ctx context.Context, project, id string, n int) ([]wire.ItemDiff, bool, error) {
	return first[wire.ItemDiff](ctx, c, projectPath(project, "change-sets", id, "diff"), nil, n)
}

// ChangeSet reads one change set.
func (c *Client) ChangeSet(ctx context.Context, project, id string) (wire.ChangeSet, error) {
	return one[wire.ChangeSet](ctx, c, http.MethodGet, projectPath(project, "change-sets", id), nil)
}

// EditChangeSet changes the title, the description or the status of a change set that is open or ready.
func (c *Client) EditChangeSet(ctx context.Context, project, id string, in wire.ChangeSetEdit) (wire.ChangeSet, error) {
	return one[wire.ChangeSet](ctx, c, http.MethodPatch, projectPath(project, "change-sets", id), in)
}

// Rebase replays a change set on what is published now.
func (c *Client) Rebase(ctx context.Context, project, id string, in wire.Rebase) (wire.Rebased, error) {
	return one[wire.Rebased](ctx, c, http.MethodPost, projectPath(project, "change-sets", id, "rebase"), in)
}

// Unstage takes an entry or an asset out of a change set.
func (c *Client) Unstage(ctx context.Context, project, id, resource string) (wire.ChangeSet, error) {
	return one[wire.ChangeSet](ctx, c, http.MethodDelete, projectPath(project, "change-sets", id, "items", resource), nil)
}

// Validate tells what publishing would be refused for.
func (c *Client) Validate(ctx context.Context, project, id string) (wire.Validation, error) {
	return bare[wire.Validation](ctx, c, http.MethodPost, projectPath(project, "change-sets", id, "validate"), nil)
}

// Publish publishes a change set as the next release.
func (c *Client) Publish(ctx context.Context, project, id string) (wire.Published, error) {
	out, _, err := c.PublishEverywhere(ctx, project, id, 0)
	return out, err
}

// PublishEverywhere publishes and then waits, at most as long as given in whole seconds, until every edge that holds the
// project has the release. Everywhere is false where some edge did not report so in time; the release is published
// all the same.
func (c *Client) PublishEverywhere(ctx context.Context, project, id string, wait time.Duration) (out wire.Published, everywhere bool, err error) {
	path := projectPath(project, "change-sets", id, "publish")
	everywhere, err = c.everywhere(ctx, http.MethodPost, path, wait, map[string]bool{"confirm": true}, &out)
	return out, everywhere, err
}

// Close abandons a change set.
func (c *Client) Close(ctx context.Context, project, id string) (wire.ChangeSet, error) {
	return one[wire.ChangeSet](ctx, c, http.MethodPost, projectPath(project, "change-sets", id, "close"), nil)
}

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

// ReleaseItems reads what a release did to each of its entries. It is named by its number or its change set.
func (c *Client) ReleaseItems(ctx context.Context, project, release string) ([]wire.ReleaseItem, error) {
	read, err := one[wire.ReleaseWithItems](ctx, c, http.MethodGet, projectPath(project, "releases", release), nil)
	return read.Items, err
}

// RevertRelease drafts a change set with the state before a release, which is named by its number or its change set; an empty title is
// given one. force reverts what later releases changed again, too.
func (c *Client) RevertRelease(ctx context.Context, project, release, title string, force bool) (wire.ChangeSet, error) {
	in := wire.Revert{Title: given(title), Force: wire.Some(force)}
	return one[wire.ChangeSet](ctx, c, http.MethodPost, projectPath(project, "releases", release, "revert"), in)
}
