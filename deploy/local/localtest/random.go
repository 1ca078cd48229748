package localtest

import (
	"math/rand/v2"
	"testing"

	"svc/shared/testrand"
)

// Random is testrand.New, for tests of whole deployments.
func Random(t testing.TB) *rand.Rand {
	t.Helper()
	return testrand.New(t)
}
