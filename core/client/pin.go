package client

import (
	"context"
	"net/http"
	"time"
)

// Pin is the release that reads of a project answer on every node where they name none.
type Pin struct {
	Release  uint64    `json:"release"`
	Reason   *string   `json:"reason"`
	PinnedBy *string   `json:"pinnedBy"`
	PinnedAt time.Time `json:"pinnedAt"`
}

// PinRelease has reads of a project answer a release, as PublishEverywhere does for publishing: everywhere tells whether
// every edge that holds the project has the pin. A wait of less than a second does not wait.
func (c *Client) PinRelease(ctx context.Context, project string, release uint64, reason string, wait time.Duration) (Pin, bool, error) {
	var out data[Pin]
	in := map[string]any{"release": release, "reason": reason}
	everywhere, err := c.everywhere(ctx, http.MethodPut, projectPath(project, "pin"), wait, in, &out)
	return out.Data, everywhere, err
}

// Unpin has reads of a project answer its newest release again. A project that is not pinned stays as it is.
func (c *Client) Unpin(ctx context.Context, project string, wait time.Duration) (everywhere bool, err error) {
	return c.everywhere(ctx, http.MethodDelete, projectPath(project, "pin"), wait, nil, nil)
}
