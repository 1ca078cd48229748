// Package metering adds up what organizations used, from what edges and cores state of their counters (package replication/usage
// says what can be lost on the way), and notes when API keys were last used.
//
// Statements have totals since the start of a process. The table usage_seen has the last total that was added, for each process
// and start; what a total is more than that belongs to the day, in UTC, on which the statement reached NATS.
package metering

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/postgres"
	"svc/replication/stream"
	"svc/replication/usage"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/lifecycle"
)

// collectEvery is how often statements are read.
const collectEvery = 10 * time.Second

// Collector writes down what edges state and what this core counts itself. Every core reads all statements: what is known
// already adds nothing.
type Collector struct {
	Core    string // the name of this core
	Started time.Time
	Pool    *pgxpool.Pool
	Stream  *stream.Conn
	// Counters and Uses are of the public reads that this core answered. Management calls note their own uses of keys.
	Counters *usage.Counters
	Uses     *credential.Uses
	Logger   *slog.Logger
}

// Run collects until the context ends, and once more then.
func (c *Collector) Run(ctx context.Context) error {
	lifecycle.EveryAndLast(ctx, collectEvery, func(ctx context.Context) {
		if err := c.Collect(ctx); err != nil && ctx.Err() == nil {
			c.Logger.Debug("what was used is not written down; trying again", "error", err)
		}
	})
	return nil
}

// Collect writes down once what is stated and what is counted here. Without NATS it is the latter alone.
func (c *Collector) Collect(ctx context.Context) error {
	used := c.Uses.Last()
	all := []stated{{usage.Statement{Edge: c.Core, Started: c.Started, Totals: c.Counters.Totals()}, time.Now()}}
	statements, err := c.Stream.UsageStatements(ctx)
	if err != nil {
		c.Logger.Debug("what edges state cannot be read", "error", err)
	}
	for _, key := range slices.Sorted(maps.Keys(statements)) {
		s, err := usage.Decode(statements[key].Data)
		if err != nil {
			continue // of another build
		}
		at := statements[key].At
		all = append(all, stated{*s, at})
		for key, ms := range s.KeysUsed { // by the clock of the stream
			if t := at.Add(time.UnixMilli(ms).Sub(s.At)); t.After(used[key]) {
				used[key] = t
			}
		}
	}
	if err := add(ctx, c.Pool, all); err != nil {
		return err
	}
	return access.Used(ctx, c.Pool, used)
}

// stated is a statement, and when it reached the stream.
type stated struct {
	usage.Statement
	at time.Time
}

// add adds what totals are more than those seen before, in one statement: of cores that add the same at one time, the second
// waits for the first at the row of usage_seen and finds nothing more.
func add(ctx context.Context, q postgres.Querier, all []stated) error {
	var edges, meters []string
	var organizations []content.OrganizationID
	var starts, ats []time.Time
	var totals []int64
	for _, s := range all {
		for _, counted := range s.Totals {
			edges, starts, ats = append(edges, s.Edge), append(starts, s.Started), append(ats, s.at)
			organizations, meters = append(organizations, counted.Organization), append(meters, string(counted.Meter))
			totals = append(totals, int64(min(counted.Total, 1<<62)))
		}
	}
	if len(edges) == 0 {
		return nil
	}
	_, err := q.Exec(ctx, `
		WITH told AS (
			SELECT edge, started, organization, meter, max(total) AS total, max(at) AS at
			FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[]) t (edge, started, organization, meter, total, at)
			WHERE EXISTS (SELECT FROM organization o WHERE o.id = organization) GROUP BY 1, 2, 3, 4
		), moved AS (
			INSERT INTO usage_seen AS seen (edge, started_at, organization_id, meter, total, before, told_at)
			SELECT edge, started, organization, meter, total, 0, at FROM told ORDER BY 1, 2, 3, 4
			ON CONFLICT (edge, started_at, organization_id, meter) DO UPDATE
				SET total = greatest(seen.total, excluded.total), before = seen.total, told_at = greatest(seen.told_at, excluded.told_at)
				WHERE excluded.total > seen.total OR excluded.told_at > seen.told_at + interval '1 hour'
			RETURNING organization_id, (told_at AT TIME ZONE 'UTC')::date AS day, meter, total - before AS more
		)
		INSERT INTO usage_day AS sum (organization_id, day, meter, total)
		SELECT organization_id, day, meter, sum(more) FROM moved GROUP BY 1, 2, 3 HAVING sum(more) > 0 ORDER BY 1, 2, 3
		ON CONFLICT (organization_id, day, meter) DO UPDATE SET total = sum.total + excluded.total`,
		edges, starts, organizations, meters, totals, ats)
	if err != nil {
		return fmt.Errorf("adding what was used: %w", err)
	}
	return nil
}

// forgetAfter is when the last totals of a process are forgotten: it is gone, since it states them daily, and none of its
// statements is left.
const forgetAfter = 4 * stream.UsageTTL

// Forget deletes the last totals of processes that are gone.
func Forget(ctx context.Context, q postgres.Querier) error {
	if _, err := q.Exec(ctx, `DELETE FROM usage_seen WHERE told_at < now() - $1::interval`, forgetAfter); err != nil {
		return fmt.Errorf("forgetting the counters of processes that are gone: %w", err)
	}
	return nil
}
