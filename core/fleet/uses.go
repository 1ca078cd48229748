package fleet

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/replication/follow"
	"svc/replication/stream"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/lifecycle"
)

// usesEvery is how often the uses of keys for public reads are written down. Management calls note their own.
const usesEvery = 10 * time.Second

// Uses writes down when API keys were last used for public reads, at this core and at edges.
type Uses struct {
	Pool   *pgxpool.Pool
	Stream *stream.Conn
	Here   *credential.Uses
	Logger *slog.Logger
}

// Run writes them down until the context ends. Any core does it for all edges: what is known already costs nothing.
func (u *Uses) Run(ctx context.Context) error {
	lifecycle.Every(ctx, usesEvery, func() {
		if err := u.Note(ctx); err != nil && ctx.Err() == nil {
			u.Logger.Debug("the last uses of keys are not written down; trying again", "error", err)
		}
	})
	return nil
}

// Note writes them down once.
func (u *Uses) Note(ctx context.Context) error { return access.Used(ctx, u.Pool, u.last(ctx)) }

// last returns the last uses that are known, by the clocks of this core and of the stream.
func (u *Uses) last(ctx context.Context) map[content.KeyID]time.Time {
	all := u.Here.Last()
	reports, err := u.Stream.Reports(ctx)
	if err != nil {
		u.Logger.Debug("edges cannot tell of the uses of keys", "error", err)
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
