package testrand

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestCasesAreTheSameInEveryRun(t *testing.T) {
	drawn := func(check func(func(*rapid.T))) (all []uint64) {
		check(func(t *rapid.T) { all = append(all, rapid.Uint64().Draw(t, "number")) })
		return all
	}
	first := drawn(func(property func(*rapid.T)) { Check(t, property) })
	if again := drawn(func(property func(*rapid.T)) { Check(t, property) }); !slices.Equal(first, again) || len(first) != rapidChecks*Scale {
		t.Errorf("%d cases, then others: %v, %v", len(first), first, again)
	}
	few := drawn(func(property func(*rapid.T)) { CheckFew(t, 7, property) })
	if !slices.Equal(few, first[:7*Scale]) {
		t.Errorf("of %v a few are %v", first, few)
	}
}

func TestNumbersFollowFromTheNameOfTheTest(t *testing.T) {
	if New(t).Uint64() != New(t).Uint64() {
		t.Error("they differ from one call to the next")
	}
	mine := New(t).Uint64()
	t.Run("another", func(t *testing.T) {
		if New(t).Uint64() == mine && variable(seedVariable, 0) == 0 {
			t.Error("another test has the same")
		}
	})
}
