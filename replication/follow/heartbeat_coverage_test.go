package follow

import (
	"testing"
	"time"

	"svc/replication/record"
)

func at(seconds int) time.Time { return time.Unix(int64(1_800_000_000+seconds), 0).UTC() }

func TestHeartbeatsCoverTimeWithoutAHole(t *testing.T) {
	var c coverage
	now := time.Unix(5000, 0)
	take := func(core string, settled, since int, after, through string) (complete, hole bool) {
		b := &record.Heartbeat{Core: core, Settled: at(settled), After: after, Through: through}
		if since >= 0 {
			b.Since = at(since)
		}
		now = now.Add(time.Second)
		return c.take(b, now)
	}
	covered := func(want int) {
		t.Helper()
		got, seen, _ := c.now()
		if want < 0 && !got.IsZero() || want >= 0 && !got.Equal(at(want)) {
			t.Fatalf("covered up to %v, want %d", got, want)
		}
		if !got.IsZero() && seen.After(now) {
			t.Fatalf("seen at %v", seen)
		}
	}
	if complete, hole := take("a", 10, 0, "", ""); !complete || hole {
		t.Error("changed heads alone, before any with all heads, tell nothing")
	}
	covered(-1)
	if complete, _ := take("a", 11, -1, "", "m"); complete {
		t.Error("half of all heads are not all")
	}
	covered(-1)
	if complete, _ := take("b", 12, -1, "m", ""); complete {
		t.Error("the second half of another core")
	}
	if complete, _ := take("a", 11, -1, "m", ""); !complete {
		t.Error("both halves are all")
	}
	covered(11)
	take("b", 20, 10, "", "")
	covered(20)
	take("a", 19, 9, "", "") // another core, a little behind
	covered(20)
	if _, hole := take("a", 40, 30, "", ""); !hole {
		t.Error("what changed between 20 and 30 is unknown")
	}
	covered(20)
	take("a", 41, -1, "", "")
	covered(41)
	take("a", 45, 35, "", "m")
	if complete, _ := take("a", 46, 36, "m", ""); complete {
		t.Error("halves of two heartbeats")
	}
	covered(41)
}

func TestLevelFollowsChainsAndEpochs(t *testing.T) {
	chain := func(b byte) record.Hash { return record.Hash{b} }
	for _, c := range []struct {
		at, head record.Position
		level    bool
		behind   uint64
	}{
		{record.Position{}, record.Position{Epoch: 1}, true, 0},
		{record.Position{}, record.Position{Epoch: 1, Seq: 3, Chain: chain(3)}, false, 3},
		{record.Position{Epoch: 1, Seq: 3, Chain: chain(3)}, record.Position{Epoch: 1, Seq: 3, Chain: chain(3)}, true, 0},
		{record.Position{Epoch: 1, Seq: 3, Chain: chain(3)}, record.Position{Epoch: 2, Seq: 3, Chain: chain(3)}, true, 0},
		{record.Position{Epoch: 1, Seq: 3, Chain: chain(3)}, record.Position{Epoch: 1, Seq: 3, Chain: chain(9)}, false, 0},
		{record.Position{Epoch: 1, Seq: 5, Chain: chain(5)}, record.Position{Epoch: 1, Seq: 3, Chain: chain(3)}, true, 0},
		{record.Position{Epoch: 1, Seq: 5, Chain: chain(5)}, record.Position{Epoch: 2, Seq: 3, Chain: chain(3)}, false, 0},
		{record.Position{Epoch: 2, Seq: 5, Chain: chain(5)}, record.Position{Epoch: 1, Seq: 9, Chain: chain(9)}, true, 0},
		{record.Position{Epoch: 1, Seq: 5, Chain: chain(5)}, record.Position{Epoch: 2, Seq: 9, Chain: chain(9)}, false, 4},
	} {
		l := &log{at: c.at, head: c.head, known: true}
		if l.upToDate() != c.level || l.behind() != c.behind {
			t.Errorf("at %v of %v: level %v, behind %d", c.at, c.head, l.upToDate(), l.behind())
		}
	}
}

func FuzzDecodeReport(f *testing.F) {
	f.Add([]byte(`{"edge":"edge-1","ready":true,"positions":[{"log":"prj_1","position":"1.2.00","head":2}]}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := DecodeReport(data); err == nil && r == nil {
			t.Fatal("neither a report nor an error")
		}
	})
}
