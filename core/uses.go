package core

import (
	"context"
	"time"

	"svc/core/access"
	"svc/replication/follow"
	"svc/shared/content"
)

// usesEvery is how often the uses of keys for public reads are written down. Management calls note their own.
const usesEvery = 10 * time.Second

// noteUses writes down when keys were last used for public reads, at this core and at edges. Any core does it for all edges:
// what is known already costs nothing.
func (c *Core) noteUses(ctx context.Context) error {
	tick := time.NewTicker(usesEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := c.noteUsesOnce(ctx); err != nil && ctx.Err() == nil {
			c.logger.Debug("the last uses of keys are not written down; trying again", "error", err)
		}
	}
}

func (c *Core) noteUsesOnce(ctx context.Context) error { return access.Used(ctx, c.pool, c.used(ctx)) }

// used returns the last uses that are known, by the clocks of this core and of the stream.
func (c *Core) used(ctx context.Context) map[content.KeyID]time.Time {
	all := c.uses.Last()
	reports, err := c.stream.Reports(ctx)
	if err != nil {
		c.logger.Debug("edges cannot tell of the uses of keys", "error", err)
	}
	for _, r := range reports {
		report, err := follow.DecodeReport(r.Data)
		if err != nil {
			continue // of another build
		}
		for key, ms := range report.KeysUsed {
			if at := r.At.Add(time.UnixMilli(ms).Sub(report.At)); at.After(all[key]) {
				all[key] = at
			}
		}
	}
	return all
}
