package localtest

import (
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// seedVariable replaces the seeds of random tests.
const seedVariable = "SVC_TEST_SEED"

// Random is a source of random numbers that is the same in every run of a test, since its seed comes from the test's name.
// SVC_TEST_SEED gives another seed; `make soak` sets a fresh one. The seed is printed.
func Random(t testing.TB) *rand.Rand {
	t.Helper()
	name := fnv.New64a()
	name.Write([]byte(t.Name()))
	seed := name.Sum64()
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
