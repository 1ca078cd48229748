package core_test

import (
	"strings"
	"testing"
	"time"

	"svc/core/command"
)

// A check right after a release waits for the edge to be level, and says which edge of which log it could not compare.
func TestACheckWaitsForEdges(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	c, _ := b.node()
	store, stopEdge := b.edge("http://" + c.Address())
	b.release("one")
	b.level(store)
	check := func(wait time.Duration) command.EdgeStatus {
		t.Helper()
		all, unreachable, err := command.InspectLogs(t.Context(), b.cfg, []string{string(b.ID)}, command.InspectOptions{Check: true, Wait: wait}, b.logger())
		b.OK(err)
		b.OK(unreachable)
		if len(all) != 1 || len(all[0].Edges) != 1 {
			t.Fatalf("%+v", all)
		}
		return all[0].Edges[0]
	}
	for _, title := range []string{"two", "three"} {
		b.release(title)
		if e := check(10 * time.Minute); e.State != "equal" || e.Place != "level" || e.Why != "" || e.At != b.head() {
			t.Errorf("right after a release: %+v", e)
		}
	}
	stopEdge()
	b.release("four")
	e := check(time.Millisecond)
	if e.Edge != "edge-1" || e.State != "not compared" || !strings.Contains(e.Why, "behind by 1") {
		t.Errorf("an edge that is stopped: %+v", e)
	}
}
