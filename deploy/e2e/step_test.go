package e2e

import (
	"context"
	"testing"

	"svc/bench/consistency"
)

// TestOneStep: while a release of 500 items is published, every answer of both edges is of exactly one release.
func TestOneStep(t *testing.T) {
	b := newBed(t)
	stage := consistency.Stage{Client: b.api, Project: b.project.Slug}
	before, err := stage.First(t.Context(), 500)
	b.check(err)
	set, after, err := stage.Second(t.Context(), before)
	b.check(err)
	b.await(1, consistency.Collection, b.edges()...)
	history := consistency.NewHistory(consistency.NewContents(before))
	history.Add(consistency.NewContents(after))
	_, err = consistency.NewReaders(b.edges(), b.project.Slug, history, 1_000).ReadAcross(t.Context(), func(context.Context) error {
		if n := b.publish(set); n != 2 {
			t.Errorf("the release is number %d", n)
		}
		return nil
	})
	b.check(err)
	b.agree([]string{consistency.Collection}, b.edges()...)
}
