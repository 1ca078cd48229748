package follow

import (
	"context"
	"testing"
	"time"
)

// A log that is to be looked at later is looked at sooner once that is wanted, also where the later time was set first: it
// may have been half a minute away.
func TestALogIsLookedAtWhenItIsDueNotWhenItWasDue(t *testing.T) {
	f := &Follower{repairs: newQueue(), ctx: t.Context()}
	l := &log{id: "prj_1", repair: true, notBefore: time.Now().Add(time.Hour)}
	f.schedule(l)
	l.mu.Lock()
	l.notBefore = time.Now().Add(time.Millisecond)
	l.mu.Unlock()
	f.schedule(l)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if f.repairs.pop(ctx) != l {
		t.Error("the log was not looked at")
	}
}
