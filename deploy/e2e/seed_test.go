package e2e

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// seeded returns chance for a test, and prints the seed that repeats it: SVC_TEST_SEED, where set, is that seed.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("SVC_TEST_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("SVC_TEST_SEED is %q; it must be a seed that a test printed", text)
		}
	}
	t.Logf("SVC_TEST_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
