package changelog

import (
	"fmt"
	"testing"
	"time"

	"svc/replication/publish"
	"svc/replication/record"
)

// TestAMemoryKeepsTheFarthest: of each log, whatever is noted later, and of the logs that moved last at least as many as
// it promises.
func TestAMemoryKeepsTheFarthest(t *testing.T) {
	t.Parallel()
	m := &memory{newer: map[string]publish.Seen{}}
	at := func(epoch, seq uint64) record.Position { return record.Position{Epoch: epoch, Seq: seq} }
	given := func(n uint64) record.Stamp { return record.Stamp{Number: n, Time: time.Unix(int64(n), 0)} }
	m.note("a", publish.Seen{At: at(1, 5), Given: given(3)})
	m.note("a", publish.Seen{At: at(1, 4), Given: given(2)})
	m.note("a", publish.Seen{Given: given(4)})
	if s := m.all()["a"]; s.At != at(1, 5) || s.Given != given(4) {
		t.Errorf("remembered %+v", s)
	}
	m.note("a", publish.Seen{At: at(2, 1)})
	if s := m.all()["a"]; s.At != at(2, 1) || s.Given != given(4) {
		t.Errorf("of a new epoch: %+v", s)
	}
	for n := range 3 * rememberedLogs {
		m.note(fmt.Sprintf("log-%d", n), publish.Seen{At: at(1, uint64(n+1))})
	}
	all := m.all()
	if len(all) > 2*rememberedLogs {
		t.Errorf("%d logs are remembered", len(all))
	}
	for n := 2 * rememberedLogs; n < 3*rememberedLogs; n++ {
		if all[fmt.Sprintf("log-%d", n)].At.Seq != uint64(n+1) {
			t.Fatalf("log %d of the last %d is forgotten", n, rememberedLogs)
		}
	}
}
