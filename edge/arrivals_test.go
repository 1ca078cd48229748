package edge

import (
	"context"
	"errors"
	"testing"
)

func TestAwaitReturnsWithTheRelease(t *testing.T) {
	a := newArrivals()
	a.arrived("prj_a", 3)
	if err := a.await(t.Context(), "prj_a", 3); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- a.await(t.Context(), "prj_a", 5) }()
	a.arrived("prj_a", 4)
	a.arrived("prj_b", 9)
	select {
	case <-done:
		t.Fatal("release 4 of one project or 9 of another is not release 5")
	default:
	}
	a.arrived("prj_a", 5)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := newArrivals().await(ctx, "prj_a", 1); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}
