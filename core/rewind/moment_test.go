package rewind

import (
	"context"
	"strings"
	"testing"
	"time"

	"svc/shared/telemetry"
)

// A database that has written less than a moment before, under the same name, was set back with its machine: all logs are
// compared again before anything is published. Under another name that is found out anyway.
func TestADatabaseThatHasWrittenLessIsDoubted(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	g := b.guard()
	b.ok(RequireComparison(t.Context(), b.pool))
	at, err := g.readMoment(t.Context())
	b.ok(err)
	name, now := at.incarnation, time.Now()
	see := func(ctx context.Context, incarnation string, written int64) error {
		now = now.Add(time.Second)
		return g.follow(ctx, &moment{incarnation: incarnation, clock: now, written: written})
	}
	checked := func(want bool) {
		t.Helper()
		if checked, err := Checked(t.Context(), b.pool); err != nil || checked != want {
			t.Errorf("checked: %t, %v; want %t", checked, err, want)
		}
	}
	markThis := func() {
		t.Helper()
		if ours, err := markCompared(t.Context(), b.pool, name); err != nil || !ours {
			t.Fatal(ours, err)
		}
	}
	markThis()
	for _, step := range []struct {
		incarnation string
		written     int64
		doubted     bool
	}{
		{name, 1000, false}, {name, 1000, false}, {name, 2000, false},
		{name, 1999, true}, {name, 1999, false}, {name, 2500, false},
		{"another", 10, false}, {"another", 9, true},
	} {
		markThis()
		b.ok(see(t.Context(), step.incarnation, step.written))
		checked(!step.doubted)
	}
	// What could not be recorded is seen again.
	markThis()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := see(gone, "another", 1); err == nil {
		t.Fatal("recorded without a database")
	}
	checked(true)
	b.ok(see(t.Context(), "another", 2))
	checked(false)
}

// A clock that shows less than it did is an alarm until it has caught up.
func TestAClockThatWentBackIsAnAlarm(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	g := b.guard()
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, step := range []struct {
		after time.Duration
		alarm bool
	}{
		{0, false}, {time.Second, false},
		{950 * time.Millisecond, false}, // slack
		{-time.Minute, true}, {-59 * time.Second, true}, {800 * time.Millisecond, true},
		{time.Second, false}, {2 * time.Second, false},
	} {
		b.ok(g.follow(t.Context(), &moment{incarnation: "x", clock: start.Add(step.after), written: 1}))
		list := b.alarms.List()
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
	b := newBed(t)
	g := b.guard()
	first, err := g.readMoment(t.Context())
	b.ok(err)
	b.change(1)
	second, err := g.readMoment(t.Context())
	b.ok(err)
	if first.incarnation == "" || first.incarnation != second.incarnation || first.written == 0 || second.written <= first.written ||
		!second.clock.After(first.clock) {
		t.Errorf("%+v, then %+v", first, second)
	}
}
