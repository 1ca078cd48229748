package api

import (
	"cmp"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// weighty is the size from which an answer counts: what smaller ones take is bounded by the number of connections.
	weighty = 16 << 10
	// defaultAnswers is how much memory weighty answers may take where nothing else is said.
	defaultAnswers = 256 << 20
	// takingTime is what every caller has to take an answer, however many others there are.
	takingTime = 2 * time.Second
)

// outbound is the weighty answers that are on their way. It keeps their memory bounded: where they become too much, the
// callers who have been taking theirs for longest are cut off.
type outbound struct {
	most  int
	grace time.Duration

	mu    sync.Mutex
	total int
	all   map[*taking]struct{}
}

func newOutbound(most int64) *outbound {
	return &outbound{most: int(cmp.Or(most, defaultAnswers)), grace: takingTime, all: map[*taking]struct{}{}}
}

// taking is a weighty answer that a caller is taking.
type taking struct {
	conn  *http.ResponseController
	since time.Time
	size  int
	cut   bool // off, for others
}

// begin makes room for an answer of a size; nil where there is none. An answer that must be given, since what it is about
// has happened, finds room at the cost of others, however short they have been at it.
func (o *outbound) begin(conn *http.ResponseController, size int, must bool) *taking {
	t := &taking{conn: conn, since: time.Now(), size: size}
	before := t.since
	if !must {
		before = before.Add(-o.grace)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.thin(size, before)
	// One that is larger than everything allowed is given when it is alone.
	if o.total > 0 && o.total+size > o.most {
		return nil
	}
	o.total += size
	o.all[t] = struct{}{}
	return t
}

// thin cuts off those who began before a time, longest first, until there is room.
func (o *outbound) thin(room int, before time.Time) {
	if o.total+room <= o.most {
		return
	}
	var old []*taking
	for t := range o.all {
		if !t.since.After(before) {
			old = append(old, t)
		}
	}
	slices.SortFunc(old, func(a, b *taking) int { return a.since.Compare(b.since) })
	for _, t := range old {
		if o.total+room <= o.most {
			return
		}
		t.cut = true
		o.forget(t)
		_ = t.conn.SetWriteDeadline(t.since) // a connection that cannot be told is one that is gone
	}
}

func (o *outbound) forget(t *taking) {
	if _, ok := o.all[t]; ok {
		delete(o.all, t)
		o.total -= t.size
	}
}

// end forgets an answer that was taken, or cannot be, and reports whether it was cut off. After that its connection may
// have another request.
func (o *outbound) end(t *taking) (cut bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.forget(t)
	return t.cut
}
