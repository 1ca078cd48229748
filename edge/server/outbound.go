package server

import (
	"cmp"
	"net"
	"slices"
	"sync"
	"time"

	"svc/shared/read"
)

const (
	// weighty is the size from which an answer counts: smaller ones the system takes at once, however slow the caller is.
	weighty = 128 << 10
	// defaultAnswers is how much memory weighty answers may take where nothing else is said.
	defaultAnswers = 64 << 20
	// takingTime is what every caller has to take an answer, however many others there are.
	takingTime = 2 * time.Second
)

// outbound is the weighty answers that are on their way. It keeps their memory bounded: where they become too much, the
// callers who have been taking theirs for longest lose their connections.
type outbound struct {
	most  int
	grace time.Duration

	mu    sync.Mutex
	total int
	all   map[*taking]struct{}
}

func newOutbound(most int) *outbound {
	return &outbound{most: cmp.Or(most, defaultAnswers), grace: takingTime, all: map[*taking]struct{}{}}
}

// taking is a weighty answer that a caller is taking. The server closes it once it is written, or cannot be.
type taking struct {
	response *read.Response
	conn     net.Conn
	since    time.Time
	from     *outbound
	size     int
}

// begin makes room for an answer; nil where there is none.
func (o *outbound) begin(response *read.Response, conn net.Conn) *taking {
	t := &taking{response: response, conn: conn, since: time.Now(), from: o, size: response.Held()}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.total+t.size > o.most {
		o.thin(t.size, t.since.Add(-o.grace))
	}
	// One that is larger than everything allowed is given when it is alone.
	if o.total > 0 && o.total+t.size > o.most {
		return nil
	}
	o.total += t.size
	o.all[t] = struct{}{}
	return t
}

// thin cuts off those who began before a time, longest first, until there is room.
func (o *outbound) thin(room int, before time.Time) {
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
		o.forget(t)
		_ = t.conn.Close() // writing to it ends, and with that the answer
	}
}

func (o *outbound) forget(t *taking) {
	if _, ok := o.all[t]; ok {
		delete(o.all, t)
		o.total -= t.size
	}
}

// Close implements io.Closer.
func (t *taking) Close() error {
	t.from.mu.Lock()
	t.from.forget(t)
	t.from.mu.Unlock()
	t.response.Release()
	return nil
}
