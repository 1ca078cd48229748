package lifecycle

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestPartsStopInReverseOrder(t *testing.T) {
	var mu sync.Mutex
	var stopped []string
	var g Group
	started := make(chan struct{}, 3)
	for _, name := range []string{"store", "follower", "server"} {
		g.Add(name, func(ctx context.Context) error {
			started <- struct{}{}
			<-ctx.Done()
			mu.Lock()
			defer mu.Unlock()
			stopped = append(stopped, name)
			return nil
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- g.Run(ctx) }()
	for range 3 {
		<-started
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if want := []string{"server", "follower", "store"}; !slices.Equal(stopped, want) {
		t.Fatalf("stopped %v, want %v", stopped, want)
	}
}

func TestAFailingPartStopsTheGroup(t *testing.T) {
	var g Group
	g.Add("steady", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	g.Add("broken", func(context.Context) error { return errors.New("no disk") })
	err := g.Run(t.Context())
	if err == nil || err.Error() != "broken: no disk" {
		t.Fatalf("got %v", err)
	}
}

func TestAPartThatHangsIsNamed(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	g := Group{StopTimeout: time.Millisecond}
	g.Add("deaf", func(context.Context) error { <-release; return nil })
	g.Add("short", func(context.Context) error { return nil })
	if err := g.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "deaf did not stop") {
		t.Fatalf("got %v", err)
	}
}

func TestTheLastCallComesAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const interval = 10 * time.Second
		ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
		defer cancel()
		start := time.Now()
		var at []time.Duration
		EveryAndLast(ctx, interval, func(call context.Context) {
			at = append(at, time.Since(start))
			deadline, bounded := call.Deadline()
			if err := call.Err(); err != nil || !bounded || deadline.After(time.Now().Add(interval)) {
				t.Errorf("call %d: %v, until %v", len(at), err, deadline)
			}
		})
		if want := []time.Duration{10 * time.Second, 20 * time.Second, 25 * time.Second}; !slices.Equal(at, want) {
			t.Errorf("calls at %v, want %v", at, want)
		}
	})
}

func TestEveryEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	calls := 0
	Every(ctx, time.Millisecond, func() {
		if calls++; calls == 3 {
			cancel()
		}
	})
	if calls < 3 {
		t.Fatalf("it ended after %d calls, before its context did", calls)
	}
}
