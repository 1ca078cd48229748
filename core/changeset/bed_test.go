package changeset_test

import (
	"testing"

	"svc/core/entry/entrytest"
)

type bed struct{ *entrytest.Bed }

func newBed(t testing.TB) *bed {
	t.Helper()
	return &bed{entrytest.New(t)}
}
