package credential

import (
	"fmt"
	"testing"
	"time"

	"svc/shared/content"
)

func TestUsesAreNotedOnceAMinute(t *testing.T) {
	t.Parallel()
	var u Uses
	if len(u.Last()) != 0 {
		t.Fatal("nothing was used")
	}
	begin := time.Unix(1_000_000, 0)
	for after, want := range map[time.Duration]time.Duration{0: 0, UseEvery - 1: 0, UseEvery: UseEvery} {
		u = Uses{}
		u.Note("key_a", begin)
		u.Note("key_a", begin.Add(after))
		u.Note("key_b", begin)
		if got := u.Last(); len(got) != 2 || !got["key_a"].Equal(begin.Add(want)) {
			t.Errorf("used again after %s: %v", after, got)
		}
	}
}

func TestUsesAreBoundedAndTheOldestGo(t *testing.T) {
	t.Parallel()
	var u Uses
	const all = 10 * MaxUses
	key := func(i int) content.KeyID { return content.KeyID(fmt.Sprint("key_", i)) }
	for i := range all {
		u.Note(key(i), time.Unix(int64(i), 0))
		if len(u.at) > 2*MaxUses {
			t.Fatalf("%d keys are remembered", len(u.at))
		}
	}
	last := u.Last()
	if len(last) != MaxUses {
		t.Fatalf("%d keys are told of", len(last))
	}
	for i := all - MaxUses; i < all; i++ {
		if last[key(i)].IsZero() {
			t.Fatalf("the use of %s was forgotten before older ones", key(i))
		}
	}
}
