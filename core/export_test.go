package core

import (
	"context"

	"svc/core/fleet"
	"svc/core/wire"
)

// Audit compares once what edges report with the database.
func (c *Core) Audit(ctx context.Context) error { return c.audit.Round(ctx) }

// Collect writes down once what was used.
func (c *Core) Collect(ctx context.Context) error { return c.metering.Collect(ctx) }

// Cores returns what the cores last said of themselves.
func (c *Core) Cores(ctx context.Context) ([]wire.Core, error) { return c.cores.List(ctx) }

// Fleet returns what the edges last said of themselves.
func (c *Core) Fleet(ctx context.Context) ([]wire.Edge, error) { return fleet.Edges(ctx, c.stream) }
