package core

import (
	"math"
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
