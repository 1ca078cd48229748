package store_test

import (
	"log/slog"
	"testing"

	"svc/edge/store"
	"svc/replication/follow"
	"svc/replication/follow/followtest"
)

func TestApplier(t *testing.T) {
	t.Parallel()
	followtest.Run(t, func(t *testing.T) follow.Applier {
		s, err := store.New(store.Config{
			Dir: t.TempDir(), MemoryBudget: store.MinMemoryBudget, Logger: slog.New(slog.NewTextHandler(t.Output(), nil)),
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	})
}
