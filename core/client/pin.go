package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
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
	in, err := json.Marshal(map[string]any{"release": release, "reason": reason})
	if err != nil {
		return Pin{}, false, fmt.Errorf("encoding a request: %w", err)
	}
	var out data[Pin]
	everywhere, err := c.changePin(ctx, http.MethodPut, project, bytes.NewReader(in), wait, &out)
	return out.Data, everywhere, err
}

// Unpin has reads of a project answer its newest release again. A project that is not pinned stays as it is.
func (c *Client) Unpin(ctx context.Context, project string, wait time.Duration) (everywhere bool, err error) {
	return c.changePin(ctx, http.MethodDelete, project, nil, wait, nil)
}

func (c *Client) changePin(ctx context.Context, method, project string, body io.Reader, wait time.Duration, out any) (everywhere bool, err error) {
	request, err := http.NewRequestWithContext(ctx, method, c.origin+projectPath(project, "pin"), body)
	if err != nil {
		return false, fmt.Errorf("preparing a request: %w", err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	preferWait(request, wait)
	header, err := c.do(request, out)
	return header.Get("Preference-Applied") != "", err
}

// preferWait asks that an answer wait for every edge, in whole seconds.
func preferWait(request *http.Request, wait time.Duration) {
	if seconds := int(wait / time.Second); seconds > 0 {
		request.Header.Set("Prefer", fmt.Sprintf("wait=%d", seconds))
	}
}
