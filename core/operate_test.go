package core_test

import (
	"bytes"
	"strings"
	"testing"

	"svc/core"
	"svc/core/command"
	"svc/core/wire"
	"svc/replication/snapshot"
	"svc/shared/blob"
	"svc/shared/fault"
	"svc/shared/telemetry"
)

// node runs a core until the test ends or stop is called.
func (b *bed) node() (c *core.Core, stop func()) {
	b.Helper()
	c, err := core.New(b.Context(), b.cfg, b.logger())
	b.OK(err)
	stop = b.run(c.Run)
	b.Cleanup(func() { b.OK(c.Close()) })
	b.Cleanup(stop)
	return c, stop
}

// alarm returns an alarm of a core, as any core shows it, and false where it is not on.
func (b *bed) alarm(c *core.Core, kind telemetry.AlarmKind) (wire.Alarm, bool) {
	b.Helper()
	cores, err := c.Cores(b.Context())
	b.OK(err)
	for _, one := range cores {
		for _, a := range one.Alarms {
			if a.Alarm == kind {
				return a, true
			}
		}
	}
	return wire.Alarm{}, false
}

// An edge that is where the database is and holds something else is an alarm of core, within two reports, until it holds
// the same. One that is only behind is none.
func TestAnEdgeThatHoldsSomethingElseIsFound(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	c, _ := b.node()
	store, stopEdge := b.edge("http://" + c.Address())
	for _, title := range []string{"one", "two", "three"} {
		b.release(title)
	}
	b.level(store)
	log := string(b.ID)
	look := func() []command.LogStatus {
		t.Helper()
		all, unreachable, err := command.InspectLogs(t.Context(), b.cfg, []string{log}, command.InspectOptions{Check: true}, b.logger())
		b.OK(err)
		b.OK(unreachable)
		return all
	}
	b.until("the edge is seen to be level", func() bool {
		all := look()
		return len(all) == 1 && all[0].OnStream == "level" && len(all[0].Edges) == 1 && all[0].Edges[0].Place == "level" && all[0].Release == 3
	})
	b.OK(c.Audit(t.Context()))
	if _, on := b.alarm(c, telemetry.StoreDiverged); on {
		t.Error("an edge that is level is an alarm")
	}
	store.Corrupt(log)
	b.until("the command sees it", func() bool { return look()[0].Edges[0].Place == "differs" })
	b.until("core sees it", func() bool {
		b.OK(c.Audit(t.Context()))
		a, on := b.alarm(c, telemetry.StoreDiverged)
		return on && *a.Log == log && strings.Contains(a.Detail, "edge-1 holds")
	})
	stopEdge()
	again, _ := b.edge("http://" + c.Address()) // it begins with nothing
	b.level(again)
	b.until("the alarm is over", func() bool {
		b.OK(c.Audit(t.Context()))
		_, on := b.alarm(c, telemetry.StoreDiverged)
		return !on
	})
}

// Each core's report can be had from any other; a newer database is an alarm of the core that does not know it; and a
// core that stops is no longer shown.
func TestCoresReportThemselves(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	first, _ := b.node()
	b.until("the first one reports", func() bool { return b.reports() == 1 })
	cores, err := first.Cores(t.Context())
	b.OK(err)
	if len(cores) != 1 || cores[0].Name == "" || cores[0].Build == "" || cores[0].StartedAt.IsZero() {
		t.Fatalf("%+v", cores)
	}
	_, err = b.Pool.Exec(t.Context(), `INSERT INTO core_report (core, build, started_at, reported_at, reasons, alarms) VALUES
		('core-other-1', 'v9', now(), clock_timestamp() - interval '2 minutes', '{}', '[]'),
		('core-other-2', 'v9', now(), clock_timestamp(), '{}', '[{"alarm":"stream_away","detail":"gone","since":"2026-03-01T12:00:00Z"}]'),
		('core-other-3', 'v9', now(), clock_timestamp() - interval '2 hours', '{}', '[]')`)
	b.OK(err)
	cores, err = first.Cores(t.Context())
	b.OK(err)
	if len(cores) != 3 || len(cores[1].Reasons) != 1 || !strings.Contains(cores[1].Reasons[0], "not reported for 2m") ||
		len(cores[2].Alarms) != 1 || cores[2].Alarms[0].Alarm != telemetry.StreamAway {
		t.Errorf("%+v", cores)
	}
	_, err = b.Pool.Exec(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)`)
	b.OK(err)
	b.until("the database is seen to be newer", func() bool {
		a, on := b.alarm(first, telemetry.DatabaseNewer)
		return on && strings.Contains(a.Detail, "version 99999")
	})
	if _, _, err := command.InspectLogs(t.Context(), b.cfg, nil, command.InspectOptions{}, b.logger()); err == nil || !strings.Contains(err.Error(), "99999") {
		t.Errorf("commands on a newer database: %v", err)
	}
	_, err = b.Pool.Exec(t.Context(), `DELETE FROM goose_db_version WHERE version_id = 99999`)
	b.OK(err)
	b.until("the alarm is over", func() bool { _, on := b.alarm(first, telemetry.DatabaseNewer); return !on })
}

// While NATS is away, those who ask for the edges learn that it is, and where to look instead.
func TestTheFleetWithoutNATSNamesIt(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	c, _ := b.node()
	b.until("the fleet is known", func() bool { _, err := c.Fleet(t.Context()); return err == nil })
	b.nats.Stop(t)
	b.until("the reason is known", func() bool {
		_, err := c.Fleet(t.Context())
		return fault.Is(err, fault.Unavailable) && strings.Contains(fault.As(err).Detail, "NATS, which this core cannot reach")
	})
	_, err := c.Fleet(t.Context())
	if detail := fault.As(err).Detail; !strings.Contains(detail, "/readyz") {
		t.Errorf("%s", detail)
	}
}

func TestACoreThatStopsTakesItsReportAway(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	_, stop := b.node()
	b.until("it reports", func() bool { return b.reports() == 1 })
	stop()
	if n := b.reports(); n != 0 {
		t.Errorf("%d reports", n)
	}
}

func (b *bed) reports() (n int) {
	b.Helper()
	b.OK(b.Pool.QueryRow(b.Context(), `SELECT count(*) FROM core_report`).Scan(&n))
	return n
}

// The command writes a snapshot of a log that moved or whose newest one is broken, and none of one that did not; from nothing it
// writes in any case.
func TestSnapshotsAreWrittenOnDemand(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	_, stop := b.node()
	b.release("one")
	stop()
	write := func(fromNothing bool, names ...string) (all []command.Written) {
		t.Helper()
		b.OK(command.WriteSnapshots(t.Context(), b.cfg, names, fromNothing, func(w command.Written) error { all = append(all, w); return nil }, b.logger()))
		return all
	}
	every := write(false)
	if len(every) != 2 || !every[0].New || !every[1].New {
		t.Fatalf("%+v", every)
	}
	log := string(b.ID)
	again := write(false, log)
	if len(again) != 1 || again[0].New || again[0].Position != b.head() {
		t.Fatalf("%+v", again)
	}
	_, err := b.Pool.Exec(t.Context(), `UPDATE snapshot SET sha256 = decode(repeat('00', 32), 'hex') WHERE log = $1`, log)
	b.OK(err)
	if mended := write(false, log); !mended[0].New || mended[0].Position != b.head() {
		t.Errorf("in place of a broken one: %+v", mended)
	}
	m, err := snapshot.Latest(t.Context(), b.blobs, log)
	b.OK(err)
	garbage := bytes.Repeat([]byte("x"), int(m.State.Size))
	b.OK(b.blobs.Put(t.Context(), m.State.Key, bytes.NewReader(garbage), int64(len(garbage)), blob.PutOptions{}))
	if mended := write(false, log); !mended[0].New || mended[0].Position != b.head() {
		t.Errorf("in place of one with other bytes: %+v", mended)
	}
	if again := write(true, log); !again[0].New || again[0].Position != b.head() {
		t.Errorf("from nothing: %+v", again)
	}
	err = command.WriteSnapshots(t.Context(), b.cfg, []string{"nowhere"}, false, func(command.Written) error { return nil }, b.logger())
	if err == nil || !strings.Contains(err.Error(), `"nowhere"`) {
		t.Errorf("a log that does not exist: %v", err)
	}
	b.nats.Stop(t)
	logs, unreachable, err := command.InspectLogs(t.Context(), b.cfg, nil, command.InspectOptions{}, b.logger())
	b.OK(err)
	if unreachable == nil || len(logs) != 2 || logs[0].OnStream != "" || logs[0].SnapshotAt.IsZero() {
		t.Errorf("%+v, %v", logs, unreachable)
	}
}
