package e2e

import (
	"context"
	"testing"

	"svc/bench/crowd"
)

// TestOneStep: while a release of 500 items is published, every answer of both edges is of exactly one release.
func TestOneStep(t *testing.T) {
	b := newBed(t)
	stage := crowd.Stage{Client: b.api, Project: b.project.Slug}
	before, err := stage.First(t.Context(), 500)
	b.check(err)
	set, after, err := stage.Second(t.Context(), before)
	b.check(err)
	b.await(1, crowd.Collection, b.edges()...)
	ledger := crowd.NewLedger(crowd.NewEdition(before))
	ledger.Enter(crowd.NewEdition(after))
	_, err = crowd.New(b.edges(), b.project.Slug, ledger, 1_000).Cross(t.Context(), func(context.Context) error {
		if n := b.publish(set); n != 2 {
			t.Errorf("the release is number %d", n)
		}
		return nil
	})
	b.check(err)
	b.agree([]string{crowd.Collection}, b.edges()...)
}
