// Package outbound bounds the memory of answers that a server has produced and clients have not read yet.
package outbound

import (
	"slices"
	"sync"
	"time"
)

// grace is what every caller has to take an answer, however many others there are.
const grace = 2 * time.Second

// Answers is the large answers of a server that are on their way. Where their memory becomes too much, the callers who
// have been taking theirs for longest are cut off. Its methods may be called from several goroutines.
type Answers struct {
	// Most is how many bytes they may hold together. One answer that is larger is given while it is alone.
	Most int
	// Grace is how long no one is cut off for another.
	Grace time.Duration

	mu    sync.Mutex
	total int
	all   map[*Answer]struct{}
}

// New returns the answers of a server, none so far, which may hold so many bytes together.
func New(most int) *Answers {
	return &Answers{Most: most, Grace: grace, all: map[*Answer]struct{}{}}
}

// Answer is one that a caller is taking.
type Answer struct {
	of    *Answers
	since time.Time
	size  int // in bytes
	cut   func()
	off   bool // it was cut off
}

// Begin makes room for an answer that holds so many bytes until End; nil where there is none. One that must be given, since
// what it is about has happened, finds room at the cost of others, however short they have been at it. cut takes the
// answer from its caller, for others: it must not block, and is not called once the answer has ended.
func (a *Answers) Begin(size int, must bool, cut func()) *Answer {
	t := &Answer{of: a, since: time.Now(), size: size, cut: cut}
	before := t.since
	if !must {
		before = before.Add(-a.Grace)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.thin(size, before)
	if a.total > 0 && a.lack(size) {
		return nil
	}
	a.total += size
	a.all[t] = struct{}{}
	return t
}

// lack reports whether there is no room for so many bytes more.
func (a *Answers) lack(size int) bool { return a.total+size > a.Most }

// thin cuts off those who began before a time, longest first, until there is room.
func (a *Answers) thin(room int, before time.Time) {
	if !a.lack(room) {
		return
	}
	var old []*Answer
	for t := range a.all {
		if !t.since.After(before) {
			old = append(old, t)
		}
	}
	slices.SortFunc(old, func(x, y *Answer) int { return x.since.Compare(y.since) })
	for _, t := range old {
		if !a.lack(room) {
			return
		}
		a.forget(t)
		t.off = true
		t.cut()
	}
}

func (a *Answers) forget(t *Answer) {
	if _, ok := a.all[t]; ok {
		delete(a.all, t)
		a.total -= t.size
	}
}

// End forgets an answer that was taken, or cannot be, and reports whether it was cut off.
func (t *Answer) End() (cut bool) {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.of.forget(t)
	return t.off
}

// State is what is on its way: how many answers, the bytes they hold, and when the newest began.
type State struct {
	Count, Bytes int
	Newest       time.Time
}

// State returns what is on its way at the moment.
func (a *Answers) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := State{Count: len(a.all), Bytes: a.total}
	for t := range a.all {
		if t.since.After(s.Newest) {
			s.Newest = t.since
		}
	}
	return s
}
