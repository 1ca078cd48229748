package core

import (
	"context"
	"errors"
	"time"

	"svc/core/api"
)

// housekeep forgets hourly what is past its time.
func (c *Core) housekeep(ctx context.Context) error {
	ticker := time.NewTicker(time.Hour)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			if err := errors.Join(api.ForgetAnswers(ctx, c.pool), c.forgetCores(ctx)); err != nil && ctx.Err() == nil {
				c.logger.Warn("housekeeping failed; it runs again in an hour", "error", err)
			}
		}
	}
}

// unready lists why this core should get no traffic.
func (c *Core) unready() []string {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	reasons := c.http.unready()
	if err := c.pool.Ping(ctx); err != nil {
		reasons = append(reasons, "the database does not answer")
	}
	if _, checked, err := c.source.Incarnation(ctx); err == nil && !checked {
		reasons = append(reasons, "nothing can be published before the database has been compared with the stream")
	}
	if !c.stream.Connected() {
		reasons = append(reasons, "not connected to NATS")
	}
	return reasons
}
