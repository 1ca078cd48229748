package limit

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"
)

// Reporter tells Redis what the local limiter let through and closes the door where all edges together let
// through too much.
type Reporter struct {
	limiter *Limiter
	client  *redis.Client
	rate    *redis_rate.Limiter
	logger  *slog.Logger
	away    bool
}

// NewReporter connects lazily: with Redis away it still returns a reporter.
func NewReporter(l *Limiter, url string, logger *slog.Logger) (*Reporter, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, fmt.Errorf("SVC_REDIS_URL: %w", err)
	}
	options.DialTimeout = 200 * time.Millisecond
	options.ReadTimeout = 200 * time.Millisecond
	options.WriteTimeout = 200 * time.Millisecond
	options.MaxRetries = -1
	client := redis.NewClient(options)
	return &Reporter{limiter: l, client: client, rate: redis_rate.NewLimiter(client), logger: logger}, nil
}

// Run reports every interval until ctx ends.
func (r *Reporter) Run(ctx context.Context) error {
	defer r.client.Close()
	ticker := time.NewTicker(Interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			r.note(r.Report(ctx))
		}
	}
}

// Report sends what was spent since the last report. Spending that could not be reported is dropped: it was
// counted locally, and adding it later would punish callers for an outage.
func (r *Reporter) Report(ctx context.Context) error {
	spent := r.limiter.drain()
	if len(spent) == 0 {
		return nil
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(16)
	for _, s := range spent {
		g.Go(func() error { return r.report(ctx, s) })
	}
	return g.Wait()
}

func (r *Reporter) report(ctx context.Context, s spending) error {
	p := r.limiter.policy
	if s.key.group.Bits() == 48 && s.key.group.Addr().Is6() {
		p = p.looser()
	}
	result, err := r.rate.AllowAtMost(ctx, r.redisKey(s.key), shared(p), s.n)
	if err != nil {
		return err
	}
	if over := s.n - result.Allowed; over > 0 {
		// What was let through beyond the shared rate is paid back by waiting.
		wait := max(result.RetryAfter, time.Duration(over)*p.emission())
		r.limiter.block(s.key, r.limiter.now().Add(wait))
	}
	return nil
}

func (r *Reporter) redisKey(k key) string {
	return "svc:" + r.limiter.policy.Name + ":" + k.project + ":" + k.group.String()
}

// note logs when Redis goes away and when it is back, once each.
func (r *Reporter) note(err error) {
	if away := err != nil; away != r.away {
		r.away = away
		if away {
			r.logger.Warn("rate limits are local only: redis does not answer", "error", err)
		} else {
			r.logger.Info("rate limits are shared again")
		}
	}
}

// shared is a policy as redis_rate counts it: a whole number of requests in a period.
func shared(p Policy) redis_rate.Limit {
	period := time.Second
	rate := p.Rate
	for rate < 100 && period < time.Hour {
		rate *= 10
		period *= 10
	}
	return redis_rate.Limit{Rate: int(rate + 0.5), Burst: p.Burst, Period: period}
}
