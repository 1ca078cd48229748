package changelog

import (
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/deploy/local/link"
	"svc/replication/stream"
	"svc/shared/telemetry"
)

// alarmed runs a relay and returns its alarms.
func (s *site) alarmed(conn *stream.Conn) *telemetry.Alarms {
	r := s.newRelay(conn)
	r.Alarms = telemetry.NewAlarms(telemetry.CoreAlarms(), nil, slog.New(slog.DiscardHandler))
	r.Timing.AlarmAfter = 300 * time.Millisecond
	s.run(r)
	return r.Alarms
}

// on reports whether an alarm of a log is the only one, and none is where the kind is empty.
func on(alarms *telemetry.Alarms, kind telemetry.AlarmKind, log string) bool {
	list := alarms.List()
	if kind == "" {
		return len(list) == 0
	}
	return len(list) == 1 && list[0].Kind == kind && list[0].Subject == log
}

// A log whose rows contradict their digest is an alarm of that log, which says what to do and is over once they are right.
func TestALogThatCannotBeSentIsAnAlarm(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	create(t, s.pool, "prj_a")
	create(t, s.pool, "prj_b")
	named(t, s.pool, "prj_a", 3)
	exec(t, s.pool, `UPDATE change SET body = set_byte(body, 13, get_byte(body, 13) + 1) WHERE log = 'prj_a' AND seq = 2`)
	alarms := s.alarmed(s.conn)
	until(t, "the alarm is on", func() bool { return on(alarms, telemetry.RelayStalled, "prj_a") })
	if detail := alarms.List()[0].Detail; !strings.Contains(detail, "restore the rows") {
		t.Error(detail)
	}
	named(t, s.pool, "prj_b", 1)
	s.level("prj_b")
	exec(t, s.pool, `UPDATE change SET body = set_byte(body, 13, get_byte(body, 13) - 1) WHERE log = 'prj_a' AND seq = 2`)
	s.level("prj_a")
	until(t, "the alarm is over", func() bool { return on(alarms, "", "") })
}

func TestAStreamThatIsAwayIsAnAlarm(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	create(t, s.pool, "prj_a")
	alarms := s.alarmed(s.conn)
	named(t, s.pool, "prj_a", 1)
	s.level("prj_a")
	s.nats.Stop(t)
	// Where the stream went before it was first compared with the database, there is an alarm of that too.
	until(t, "the alarm is on", func() bool {
		return slices.ContainsFunc(alarms.List(), func(a telemetry.Alarm) bool { return a.Kind == telemetry.StreamAway })
	})
	named(t, s.pool, "prj_a", 1)
	s.nats.Start(t)
	s.level("prj_a")
	until(t, "the alarm is over", func() bool { return on(alarms, "", "") })
}

// A core that could not send a log, and is cut off from the stream then, hears from no one that another core has sent it:
// it looks again once it is back.
func TestAnAlarmIsOverWhereAnotherCoreHasSentTheLog(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	create(t, s.pool, "prj_a")
	named(t, s.pool, "prj_a", 3)
	exec(t, s.pool, `UPDATE change SET body = set_byte(body, 13, get_byte(body, 13) + 1) WHERE log = 'prj_a' AND seq = 2`)
	address, err := url.Parse(s.nats.URL)
	if err != nil {
		t.Fatal(err)
	}
	l, err := link.Open(address.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	address.Host = l.Address()
	conn, err := stream.Connect(stream.Config{URL: address.String(), Name: t.Name()}, s.logger())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	alarms := s.alarmed(conn)
	until(t, "the alarm is on", func() bool { return on(alarms, telemetry.RelayStalled, "prj_a") })
	l.Set(link.Faults{Refuse: true})
	// That the stream was not compared with the database before may be an alarm too.
	until(t, "the core is cut off", func() bool {
		return slices.ContainsFunc(alarms.List(), func(a telemetry.Alarm) bool { return a.Kind == telemetry.StreamAway })
	})
	exec(t, s.pool, `UPDATE change SET body = set_byte(body, 13, get_byte(body, 13) - 1) WHERE log = 'prj_a' AND seq = 2`)
	s.relay()
	s.level("prj_a")
	l.Mend()
	until(t, "the alarms are over", func() bool { return on(alarms, "", "") })
}
