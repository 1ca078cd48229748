package schemadeploy

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"svc/core/access"
	"svc/core/postgres"
	"svc/core/project"
	"svc/shared/content"
	"svc/shared/schema"
)

// Scales weigh a proposal as a push does, as often as one likes.
type Scales struct{ w proposal }

// NewScales weighs these collections.
func NewScales(set ...*schema.Collection) Scales {
	return Scales{proposal{actor: access.System(), proposed: set, fits: fits{}}}
}

// Weigh returns the content errors, and how many revisions were read for them.
func (s Scales) Weigh(ctx context.Context, q postgres.Querier, id content.ProjectID) (Outcome, int, error) {
	p, err := project.Get(ctx, q, string(id))
	if err != nil {
		return Outcome{}, 0, err
	}
	c := &counter{Querier: q}
	on, err := s.w.plan(ctx, c, p)
	if err != nil {
		return Outcome{}, 0, err
	}
	err = s.w.content(ctx, c, on)
	return on.out, c.revisions, err
}

// counter counts the revisions that are read.
type counter struct {
	postgres.Querier
	revisions int
}

func (c *counter) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if ids, ok := args[0].([]string); ok && strings.Contains(sql, "slug, fields FROM revision") {
		c.revisions += len(ids)
	}
	return c.Querier.Query(ctx, sql, args...)
}
