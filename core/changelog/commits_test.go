package changelog

import (
	"testing"
	"time"

	"svc/replication/record"
)

// TestCommitsKeepTheFarthest: of each log, whatever is noted later.
func TestCommitsKeepTheFarthest(t *testing.T) {
	t.Parallel()
	c := NewCommits()
	at := func(epoch, seq uint64) record.Position { return record.Position{Epoch: epoch, Seq: seq} }
	given := func(n uint64) record.Stamp { return record.Stamp{Number: n, Time: time.Unix(int64(n), 0)} }
	c.Note("a", Seen{At: at(1, 5), Given: given(3)})
	c.Note("a", Seen{At: at(1, 4), Given: given(2)})
	c.Note("a", Seen{Given: given(4)})
	if s := c.All()["a"]; s.At != at(1, 5) || s.Given != given(4) {
		t.Errorf("remembered %+v", s)
	}
	c.Note("a", Seen{At: at(2, 1)})
	if s := c.All()["a"]; s.At != at(2, 1) || s.Given != given(4) {
		t.Errorf("of a new epoch: %+v", s)
	}
}
