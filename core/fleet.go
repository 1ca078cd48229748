package core

import (
	"context"

	"svc/core/access"
	"svc/core/api"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/fault"
)

// key finds an API key by its public id, for an edge that has not met it yet.
func (c *Core) key(ctx context.Context, publicID string) (organization string, key *recordpb.Key, err error) {
	g, err := access.Grant(ctx, c.pool, publicID)
	if err != nil {
		return "", nil, err
	}
	if g == nil {
		return "", nil, fault.New(fault.NotFound, "there is no key of this public id")
	}
	return string(g.Organization), record.KeyOf(g), nil
}

// fleet returns what the edges last said of themselves.
func (c *Core) fleet(ctx context.Context) ([]api.Edge, error) {
	reports, err := c.stream.Reports(ctx)
	if err != nil {
		return nil, &fault.Error{Code: fault.Unavailable, Detail: "the fleet's reports cannot be read at the moment", Err: err}
	}
	edges := make([]api.Edge, 0, len(reports))
	for id, r := range reports {
		edges = append(edges, api.Edge{ID: id, ReportedAt: r.At})
	}
	return edges, nil
}
