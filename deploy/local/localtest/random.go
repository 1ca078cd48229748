package localtest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// seedVariable gives a test the seed that an earlier run printed.
const seedVariable = "SVC_TEST_SEED"

// Random is a source of random numbers whose seed is printed. SVC_TEST_SEED repeats a run.
func Random(t testing.TB) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv(seedVariable); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", seedVariable, err)
		}
		seed = given
	}
	t.Logf("%s=%d", seedVariable, seed)
	return rand.New(rand.NewPCG(seed, 0))
}
