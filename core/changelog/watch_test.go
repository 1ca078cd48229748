package changelog

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"svc/shared/telemetry"
)

// A database that has written less than a moment before, under the same name, was set back with its machine: all logs are
// compared again before anything is published. Under another name that is found out anyway.
func TestADatabaseThatHasWrittenLessIsDoubted(t *testing.T) {
	t.Parallel()
	pool := database(t)
	s := source(t, pool)
	if err := Arm(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	name, _, err := s.Incarnation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	var w watch
	see := func(ctx context.Context, incarnation string, written int64) error {
		now = now.Add(time.Second)
		return w.follow(ctx, s, moment{incarnation: incarnation, clock: now, written: written})
	}
	checked := func(want bool) {
		t.Helper()
		if _, checked, err := s.Incarnation(t.Context()); err != nil || checked != want {
			t.Errorf("checked: %t, %v; want %t", checked, err, want)
		}
	}
	vouch := func() {
		t.Helper()
		if ours, err := s.Vouch(t.Context(), name); err != nil || !ours {
			t.Fatal(ours, err)
		}
	}
	vouch()
	for _, step := range []struct {
		incarnation string
		written     int64
		doubted     bool
	}{
		{name, 1000, false}, {name, 1000, false}, {name, 2000, false},
		{name, 1999, true}, {name, 1999, false}, {name, 2500, false},
		{"another", 10, false}, {"another", 9, true},
	} {
		vouch()
		if err := see(t.Context(), step.incarnation, step.written); err != nil {
			t.Fatal(err)
		}
		checked(!step.doubted)
	}
	// What could not be recorded is seen again.
	vouch()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := see(gone, "another", 1); err == nil {
		t.Fatal("recorded without a database")
	}
	checked(true)
	if err := see(t.Context(), "another", 2); err != nil {
		t.Fatal(err)
	}
	checked(false)
}

// A clock that shows less than it did is an alarm until it has caught up.
func TestAClockThatWentBackIsAnAlarm(t *testing.T) {
	t.Parallel()
	s := source(t, database(t))
	s.Alarms = telemetry.NewAlarms(telemetry.CoreAlarms(), nil, slog.New(slog.DiscardHandler))
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var w watch
	for _, step := range []struct {
		after time.Duration
		alarm bool
	}{
		{0, false}, {time.Second, false},
		{950 * time.Millisecond, false}, // slack
		{-time.Minute, true}, {-59 * time.Second, true}, {800 * time.Millisecond, true},
		{time.Second, false}, {2 * time.Second, false},
	} {
		if err := w.follow(t.Context(), s, moment{incarnation: "x", clock: start.Add(step.after), written: 1}); err != nil {
			t.Fatal(err)
		}
		list := s.Alarms.List()
		if on := len(list) == 1 && list[0].Kind == telemetry.ClockWentBack; on != step.alarm {
			t.Errorf("after %s: %v", step.after, list)
		}
		if step.alarm && !strings.Contains(list[0].Detail, "after it showed 2026-03-01T12:00:01Z") {
			t.Errorf("%s", list[0].Detail)
		}
	}
}

// The figures come from the database: what it has written grows with every commit.
func TestAMomentOfTheDatabaseIsRead(t *testing.T) {
	t.Parallel()
	pool := database(t)
	s := source(t, pool)
	settle(t, s, false)
	first := s.watch.last
	create(t, pool, "prj_a")
	settle(t, s, false)
	second := s.watch.last
	if first.incarnation == "" || first.incarnation != second.incarnation || first.written == 0 || second.written <= first.written ||
		!second.clock.After(first.clock) {
		t.Errorf("%+v, then %+v", first, second)
	}
}
