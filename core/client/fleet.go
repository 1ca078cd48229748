package client

import (
	"context"

	"svc/core/wire"
)

// Cores lists the cores, the one that answers first.
func (c *Client) Cores(ctx context.Context) ([]wire.Core, error) {
	p, err := page[wire.Core](ctx, c, "/v1/cores", nil)
	return p.Items, err
}

// Edges lists the fleet with positions and lag.
func (c *Client) Edges(ctx context.Context) ([]wire.Edge, error) {
	p, err := page[wire.Edge](ctx, c, "/v1/edges", nil)
	return p.Items, err
}
