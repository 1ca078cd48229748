package metering_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/account"
	"svc/core/metering"
	"svc/core/postgres/postgrestest"
	"svc/deploy/local/localtest"
	"svc/replication/stream"
	"svc/replication/usage"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
)

// bed is an organization in a database, a stream, and a core.
type bed struct {
	testing.TB
	pool *pgxpool.Pool
	conn *stream.Conn
	org  content.OrganizationID
	core *metering.Collector
}

func newBed(t testing.TB) *bed {
	b := &bed{TB: t, pool: postgrestest.Open(t)}
	made, err := account.Bootstrap(t.Context(), b.pool, account.NewOrganization{Slug: "acme", Name: "Acme"}, "owner")
	b.ok(err)
	b.org = made.Organization.ID
	b.conn, err = stream.Connect(stream.Config{URL: localtest.StartNATS(t).URL, Name: "test"}, b.logger())
	b.ok(err)
	t.Cleanup(b.conn.Close)
	deadline := time.Now().Add(3 * time.Minute)
	for b.conn.Ensure(t.Context()) != nil {
		if time.Now().After(deadline) {
			t.Fatal("waited in vain for the stream")
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.core = b.another("core-1")
	return b
}

func (b *bed) logger() *slog.Logger { return slog.New(slog.NewTextHandler(b.Output(), nil)) }

func (b *bed) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// another is a core.
func (b *bed) another(name string) *metering.Collector {
	return &metering.Collector{Core: name, Started: time.Now(), Pool: b.pool, Stream: b.conn, Counters: &usage.Counters{}, Uses: &credential.Uses{}, Logger: b.logger()}
}

// edge is an edge that starts.
func (b *bed) edge(name string, started time.Time) *usage.Sender {
	return &usage.Sender{Edge: name, Started: started, Counters: &usage.Counters{}, Uses: &credential.Uses{}, Stream: b.conn, Now: time.Now, Logger: b.logger()}
}

// reads counts n reads at an edge and states them.
func (b *bed) reads(edge *usage.Sender, n uint64) {
	b.Helper()
	edge.Counters.Add(b.org, usage.PublicAPIRequests, n)
	b.ok(edge.Send(b.Context()))
}

// total collects, and checks how many reads the organization made in all.
func (b *bed) total(when string, want uint64) {
	b.Helper()
	b.ok(b.core.Collect(b.Context()))
	days, err := metering.Days(b.Context(), b.pool, b.org, time.Now().AddDate(0, 0, -2), time.Now().AddDate(0, 0, 2))
	b.ok(err)
	got := uint64(0)
	for _, d := range days {
		if got += d.Total; d.Meter != usage.PublicAPIRequests {
			b.Errorf("%s: there is a meter %s", when, d.Meter)
		}
	}
	if got != want {
		b.Errorf("%s: %d reads, want %d", when, got, want)
	}
}

// TestCountersAddWhatIsNew: statements are read again and again, and edges start again under the same name.
func TestCountersAddWhatIsNew(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	first := b.edge("edge-1", start)
	b.total("nothing was counted", 0)
	b.reads(first, 5)
	b.total("five reads", 5)
	b.total("redelivered", 5)
	b.reads(first, 2)
	b.reads(first, 3)
	b.total("a statement that no one read is part of the next one", 10)
	b.reads(b.edge("edge-2", start), 4)
	b.total("another edge", 14)
	again := b.edge("edge-1", start.Add(time.Hour))
	b.reads(first, 1) // and no one reads that before the edge starts again
	b.reads(again, 2)
	b.total("an edge that started again counts from 0", 17)
	old, err := json.Marshal(usage.Statement{Edge: "edge-1", Started: start, At: start, Totals: []usage.Counted{{Organization: b.org, Meter: usage.PublicAPIRequests, Total: 6}}})
	b.ok(err)
	b.ok(b.conn.StateUsage(t.Context(), fmt.Sprintf("edge-1.%d.0", start.UnixNano()), old))
	b.total("an older statement that comes late", 17)
	b.reads(first, 1)
	b.total("and the one after it", 18)
	b.core.Counters.Add(b.org, usage.PublicAPIRequests, 7)
	b.total("reads at core", 25)
	b.total("once", 25)
	b.reads(b.edge("edge-3", start), 0)
	again.Counters.Add("org_00000000000000000000000000", usage.PublicAPIRequests, 9)
	b.reads(again, 1)
	b.ok(b.conn.StateUsage(t.Context(), "edge-9.1.0", []byte("of another build")))
	b.total("an unknown organization and an unreadable statement disturb no one", 26)
}

// TestAStatementIsSentOnce: one that says nothing new is not sent again, and not counted again.
func TestAStatementIsSentOnce(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	edge := b.edge("edge-1", time.Now())
	stated := func() time.Time {
		all, err := b.conn.UsageStatements(t.Context())
		b.ok(err)
		if len(all) != 1 {
			t.Fatalf("%d statements", len(all))
		}
		for _, s := range all {
			return s.At
		}
		return time.Time{}
	}
	b.reads(edge, 1)
	at := stated()
	b.ok(edge.Send(t.Context()))
	if !stated().Equal(at) {
		t.Error("sent again")
	}
	edge.Now = func() time.Time { return time.Now().Add(25 * time.Hour) }
	b.ok(edge.Send(t.Context()))
	if !stated().After(at) {
		t.Error("a statement expires while its edge runs")
	}
	edge.Uses.Note("key_00000000000000000000000001", time.Now())
	at = stated()
	b.ok(edge.Send(t.Context()))
	if !stated().After(at) {
		t.Error("the use of a key is not stated")
	}
	b.total("one read", 1)
}

// TestSeveralCoresCountOnce: they collect at one time what edges state meanwhile.
func TestSeveralCoresCountOnce(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const rounds = 20
	var all sync.WaitGroup
	for _, core := range []*metering.Collector{b.another("core-2"), b.another("core-3"), b.another("core-4")} {
		all.Go(func() {
			for range rounds {
				if err := core.Collect(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for n := range 3 {
		edge := b.edge(fmt.Sprintf("edge-%d", n), time.Now())
		all.Go(func() {
			for range rounds {
				edge.Counters.Add(b.org, usage.PublicAPIRequests, 7)
				if err := edge.Send(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	b.total("after all", 3*rounds*7)
}

// TestManyCountersTakeSeveralStatements, and each of them stays in the one where it was.
func TestManyCountersTakeSeveralStatements(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	edge := b.edge("edge-1", time.Now())
	for n := range 9000 {
		edge.Counters.Add(content.OrganizationID(fmt.Sprintf("org_%026d", n)), usage.PublicAPIRequests, 1)
	}
	b.reads(edge, 3)
	statements, err := b.conn.UsageStatements(t.Context())
	b.ok(err)
	if len(statements) != 3 {
		t.Errorf("%d statements", len(statements))
	}
	b.total("in the last of them", 3)
}

func TestWhatIsGoneIsForgotten(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.reads(b.edge("edge-1", time.Now()), 3)
	b.total("three reads", 3)
	seen := func() (n int) {
		b.ok(metering.Forget(context.WithoutCancel(t.Context()), b.pool))
		b.ok(b.pool.QueryRow(t.Context(), `SELECT count(*) FROM usage_seen`).Scan(&n))
		return n
	}
	if n := seen(); n != 1 {
		t.Errorf("%d counters", n)
	}
	_, err := b.pool.Exec(t.Context(), `UPDATE usage_seen SET told_at = now() - interval '29 days'`)
	b.ok(err)
	if n := seen(); n != 0 {
		t.Errorf("%d counters", n)
	}
}

func TestRanges(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 31, 23, 59, 0, 0, time.FixedZone("", -3600)) // it is April in UTC
	for _, c := range []struct{ from, to, first, last, refused string }{
		{"", "", "2026-03-03", "2026-04-01", ""},
		{"2026-03-30", "", "2026-03-30", "2026-04-01", ""},
		{"", "2026-01-31", "2026-01-02", "2026-01-31", ""},
		{"2026-03-30", "2026-03-30", "2026-03-30", "2026-03-30", ""},
		{"2025-04-01", "2026-04-01", "2025-04-01", "2026-04-01", ""},
		{"2025-03-31", "2026-04-01", "", "", "from"},
		{"2026-03-31", "2026-03-30", "", "", "from"},
		{"yesterday", "", "", "", "from"},
		{"", "2026-02-30", "", "", "to"},
		{"", "0000-01-01", "", "", "to"},
	} {
		first, last, err := metering.Range(c.from, c.to, now)
		if c.refused != "" {
			if !fault.Is(err, fault.ValidationFailed) || !slices.ContainsFunc(fault.As(err).Items, func(i fault.Item) bool { return i.Path == c.refused }) {
				t.Errorf("%s to %s: %v", c.from, c.to, err)
			}
			continue
		}
		if err != nil || first.Format(time.DateOnly) != c.first || last.Format(time.DateOnly) != c.last {
			t.Errorf("%s to %s: %s to %s, %v", c.from, c.to, first, last, err)
		}
	}
}

// TestAMonthIsThatOfUTC: it has the days from its first to its last, of one meter and one organization.
func TestAMonthIsThatOfUTC(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Open(t)
	made, err := account.Bootstrap(t.Context(), pool, account.NewOrganization{Slug: "acme"}, "owner")
	if err != nil {
		t.Fatal(err)
	}
	org := made.Organization.ID
	_, err = pool.Exec(t.Context(), `INSERT INTO usage_day (organization_id, day, meter, total) VALUES ($1, '2026-02-28', 'public_api_requests', 1),
		($1, '2026-03-01', 'public_api_requests', 10), ($1, '2026-03-31', 'public_api_requests', 100), ($1, '2026-03-31', 'other', 1000), ($1, '2026-04-01', 'public_api_requests', 10000)`, org)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]uint64{
		"2026-02-28T23:59:59Z": 1, "2026-03-01T00:00:00Z": 110, "2026-03-31T23:59:59Z": 110, "2026-03-31T23:00:00-02:00": 10000, "2026-05-01T00:00:00+02:00": 10000, "2026-05-01T00:00:00Z": 0,
	} {
		now, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := metering.Month(t.Context(), pool, org, usage.PublicAPIRequests, now); err != nil || got != want {
			t.Errorf("at %s: %d, %v; want %d", at, got, err, want)
		}
	}
}
