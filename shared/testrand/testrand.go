// Package testrand gives random tests the same numbers in every run, so that a failure comes from a change. SVC_TEST_SEED, a
// number, explores others; SVC_TEST_SCALE multiplies what long tests do. Every random test of the module draws from here.
//
// Only tests may import it.
package testrand

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

const (
	seedVariable  = "SVC_TEST_SEED"
	scaleVariable = "SVC_TEST_SCALE"

	// rapidChecks is how many cases Check draws at scale 1.
	rapidChecks = 100
)

// Scale is how many times as much the long tests do than by default: SVC_TEST_SCALE, or 1.
var Scale = int(variable(scaleVariable, 1))

// rapid draws a new seed for every test unless its flag names one. -rapid.seed and -rapid.checks still come after this.
func init() {
	set("rapid.seed", variable(seedVariable, 1))
	set("rapid.checks", uint64(rapidChecks*Scale))
}

func set(name string, value uint64) {
	if err := flag.Set(name, strconv.FormatUint(value, 10)); err != nil {
		panic(err)
	}
}

// variable reads a number of at least 1 from the environment.
func variable(name string, otherwise uint64) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || n == 0 {
		panic(fmt.Sprintf("%s is %q, which must be a number from 1", name, text))
	}
	return n
}

// Check is rapid.Check with the seed and the scale of this package.
func Check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	rapid.Check(t, property)
}

// CheckFew is Check for a property that takes long: it tries so many cases, at most rapidChecks, times the scale.
func CheckFew(t *testing.T, cases int, property func(*rapid.T)) {
	t.Helper()
	passed, failed := 0, false
	rapid.Check(t, func(rt *rapid.T) {
		if passed >= cases*Scale && !failed { // when a case has failed, rapid tries smaller ones
			return
		}
		defer func() { failed = failed || rt.Failed() }()
		property(rt)
		passed++
	})
}

// New is a source of random numbers. Its seed follows from the name of the test unless SVC_TEST_SEED is set.
func New(t testing.TB) *rand.Rand {
	t.Helper()
	name := fnv.New64a()
	name.Write([]byte(t.Name())) //nolint:errcheck // a hash takes everything
	seed := variable(seedVariable, name.Sum64())
	t.Logf("%s=%d", seedVariable, seed)
	return rand.New(rand.NewPCG(seed, 0))
}
