package core

import (
	"math"
	"runtime/debug"
	"strings"
	"testing"
)

func TestMemoryIsMoreThanThatOfAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		memory, answers int64
		wrong           bool
	}{
		{512 << 20, 256 << 20, false},
		{320 << 20, 256 << 20, false},
		{320<<20 - 1, 256 << 20, true},
		{512 << 20, math.MaxInt64, true},
		{-1, 256 << 20, true},
	} {
		cfg := Config{Memory: c.memory, AnswerMemory: c.answers}
		if err := cfg.Validate(); strings.Contains(err.Error(), "SVC_CORE_MEMORY") != c.wrong {
			t.Errorf("%d, of which %d for answers: %v", c.memory, c.answers, err)
		}
	}
}

// Core is kept to its memory, or to that of GOMEMLIMIT where it is less.
func TestTheSmallerBoundOfMemoryHolds(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for _, c := range []struct{ environment, memory, want int64 }{
		{math.MaxInt64, 8 << 30, 8 << 30}, {4 << 30, 8 << 30, 4 << 30}, {16 << 30, 8 << 30, 8 << 30},
	} {
		debug.SetMemoryLimit(c.environment)
		cfg := Config{Memory: c.memory}
		cfg.limitMemory()
		if got := debug.SetMemoryLimit(-1); got != c.want {
			t.Errorf("%d instead of %d", got, c.want)
		}
	}
}
