package api

import (
	"testing"
	"time"

	"svc/core/wire"
)

func TestPreferredWait(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{
		"wait=5": 5 * time.Second, "respond-async, wait=2": 2 * time.Second, "wait=9999": maxWait,
		"": 0, "wait": 0, "wait=": 0, "wait=-1": 0, "wait=1.5": 0, "wait=99999999": 0, "Wait 5": 0,
	} {
		if got := preferredWait([]string{header}); got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
}

func TestAllAt(t *testing.T) {
	t.Parallel()
	at := func(seqs ...uint64) (edges []wire.Edge) {
		for _, seq := range seqs {
			edges = append(edges, wire.Edge{Logs: []wire.EdgeLog{{Log: "other", Seq: 99}, {Log: "prj_a", Seq: seq}}})
		}
		return edges
	}
	for name, c := range map[string]struct {
		edges []wire.Edge
		want  bool
	}{
		"all are there":        {at(7, 8), true},
		"one is behind":        {at(7, 6), false},
		"no one reports":       {nil, false},
		"no one holds the log": {[]wire.Edge{{Logs: []wire.EdgeLog{{Log: "other", Seq: 99}}}}, false},
		"one does not hold it": {append(at(7), wire.Edge{}), true},
	} {
		if got := allAt(c.edges, "prj_a", 7); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
