package lifecycle

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
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
