package limit

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"golang.org/x/sync/errgroup"
)

const (
	// redisTimeout bounds dialling, and each step of a round trip.
	redisTimeout = 200 * time.Millisecond
	// atOnce is how many keys are reported at once.
	atOnce = 16
)

// Reporter reports to Redis what the local limiter admitted, and blocks callers of whom all edges together admitted too much.
type Reporter struct {
	limiter     *Limiter
	client      *redis.Client
	rate        *redis_rate.Limiter
	logger      *slog.Logger
	unreachable bool
}

// NewReporter connects lazily: it returns a reporter even if Redis is unreachable. The caller runs it, or closes it.
func NewReporter(l *Limiter, url string, logger *slog.Logger) (*Reporter, error) {
	return newReporter(l, url, redisTimeout, logger)
}

func newReporter(l *Limiter, url string, timeout time.Duration, logger *slog.Logger) (*Reporter, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, fmt.Errorf("SVC_REDIS_URL: %w", err)
	}
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout = timeout, timeout, timeout
	options.ContextTimeoutEnabled = true
	options.MaxRetries, options.DialerRetries = -1, 1
	logging.Disable() // every failure is returned too
	l.startReporting()
	client := redis.NewClient(options)
	return &Reporter{limiter: l, client: client, rate: redis_rate.NewLimiter(client), logger: logger}, nil
}

// Run reports every interval until ctx ends, and closes the reporter.
func (r *Reporter) Run(ctx context.Context) error {
	ticker := time.NewTicker(Interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return r.Close()
		case <-ticker.C:
			r.note(ctx, r.Report(ctx))
		}
	}
}

// Close lets the connections go.
func (r *Reporter) Close() error { return r.client.Close() }

// Report sends what was spent since the last report. Spending that could not be reported is forgiven: it was
// counted locally, and adding it later would punish callers for an outage.
func (r *Reporter) Report(ctx context.Context) error {
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(atOnce)
	for _, s := range r.limiter.takeUsage() {
		all.Go(func() error {
			result, err := r.rate.AllowAtMost(ctx, r.redisKey(s.key), shared(r.limiter.policyOf(s.key)), s.n)
			if err != nil {
				r.limiter.dropUnreported(s)
				return fmt.Errorf("report to redis: %w", err)
			}
			r.limiter.applyResult(s, result.Allowed, result.RetryAfter, result.ResetAfter)
			return nil
		})
	}
	return all.Wait()
}

func (r *Reporter) redisKey(k key) string {
	return "svc:" + r.limiter.policy.Name + ":" + k.project + ":" + k.group.String()
}

// note logs once when Redis becomes unreachable, and once when it is back.
func (r *Reporter) note(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	if unreachable := err != nil; unreachable != r.unreachable {
		r.unreachable = unreachable
		if unreachable {
			r.logger.Warn("rate limits are local only: redis does not answer", "error", err)
		} else {
			r.logger.Info("rate limits are shared again")
		}
	}
}

// shared is a policy as redis_rate counts it: a whole number of units in the time that one request uses up.
func shared(p Policy) redis_rate.Limit {
	return redis_rate.Limit{Rate: unit, Burst: p.Burst * unit, Period: p.emission()}
}
