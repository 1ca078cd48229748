package live

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/shared/content"
)

const shop = content.ProjectID("prj_00000000000000000000000001")

func project(n int) content.ProjectID {
	return content.ProjectID(fmt.Sprintf("prj_%026d", n))
}

// edge is a hub on an edge that holds shop at a position.
func edge(position uint64) *Hub {
	return New(Config{Position: func(p content.ProjectID) (uint64, bool) { return position, p == shop }})
}

// publish publishes settings of a project, up to the sequence numbers given.
func publish(h *Hub, p content.ProjectID, from, to uint64) {
	for seq := from; seq <= to; seq++ {
		h.Publish(&Event{Project: p, Seq: seq, All: true})
	}
}

func follow(t *testing.T, h *Hub, last string) *Subscription {
	t.Helper()
	s, held := h.Subscribe(shop, last)
	if !held {
		t.Fatal("the edge does not hold the project")
	}
	return s
}

// taken is what a reader gets, as "start 4: 5 6".
func taken(s *Subscription) string {
	b := s.Next()
	out := ""
	if b.Notice != NoNotice {
		out = fmt.Sprintf("%s %d", b.Notice, b.Position)
	}
	out += ":"
	for _, e := range b.Events {
		out += fmt.Sprintf(" %d", e.Seq)
	}
	return out
}

// TestWhereAReaderBegins: at the present without an id, behind the event it names, and at a reset where that may have missed something.
func TestWhereAReaderBegins(t *testing.T) {
	t.Parallel()
	h := edge(10)
	publish(h, shop, 8, 10)
	for last, want := range map[string]string{
		"":                     "start 10:",
		"10":                   ":",
		"9":                    ": 10",
		"7":                    ": 8 9 10",
		"6":                    "reset 10:", // older than what is kept
		"0":                    "reset 10:",
		"11":                   "reset 10:", // newer than this edge
		"-1":                   "reset 10:",
		"x":                    "reset 10:",
		"10 ":                  "reset 10:",
		"18446744073709551616": "reset 10:",
	} {
		s := follow(t, h, last)
		if got := taken(s); got != want {
			t.Errorf("%q gets %q, want %q", last, got, want)
		}
		if got := taken(s); got != ":" {
			t.Errorf("%q gets %q once more", last, got)
		}
		s.Close()
	}
	if _, held := h.Subscribe(project(2), ""); held {
		t.Error("a project that this edge does not hold can be followed")
	}
}

// TestEachEventComesOnceAndInOrder, whenever the reader looks, and however late the store tells what the position already has.
func TestEachEventComesOnceAndInOrder(t *testing.T) {
	t.Parallel()
	h := edge(4)
	s := follow(t, h, "")
	for _, step := range []struct {
		seq  uint64
		want string
	}{{4, "start 4:"}, {5, ": 5"}, {5, ":"}, {6, ""}, {7, ": 6 7"}, {3, ":"}, {8, ": 8"}} {
		publish(h, shop, step.seq, step.seq)
		if step.want == "" {
			continue
		}
		if got := taken(s); got != step.want {
			t.Errorf("after %d: %q, want %q", step.seq, got, step.want)
		}
	}
}

// TestAReaderIsWoken by what comes after it has looked.
func TestAReaderIsWoken(t *testing.T) {
	t.Parallel()
	h := edge(1)
	s := follow(t, h, "")
	for _, c := range []struct {
		what    string
		happens func()
	}{
		{"an event", func() { publish(h, shop, 2, 2) }},
		{"a load", func() { h.Reset(shop, 9) }},
	} {
		changed := s.Next().Changed
		select {
		case <-changed:
			t.Errorf("woken before %s", c.what)
		default:
		}
		c.happens()
		select {
		case <-changed:
		default:
			t.Errorf("not woken by %s", c.what)
		}
	}
}

// TestALoadResetsEveryReader, though it may lead to the sequence that they know.
func TestALoadResetsEveryReader(t *testing.T) {
	t.Parallel()
	h := edge(4)
	publish(h, shop, 5, 6)
	s := follow(t, h, "6")
	if got := taken(s); got != ":" {
		t.Fatal(got)
	}
	for _, at := range []uint64{6, 3, 8} {
		h.Reset(shop, at)
		publish(h, shop, at+1, at+1)
		if got, want := taken(s), fmt.Sprintf("reset %d:", at+1); got != want {
			t.Errorf("loaded at %d: %q, want %q", at, got, want)
		}
	}
	// A sequence that is skipped was loaded too.
	publish(h, shop, 12, 12)
	if got := taken(s); got != "reset 12:" {
		t.Error(got)
	}
}

// TestWhatIsKeptIsBounded for each project, and for all: the project that changed longest ago is forgotten first.
func TestWhatIsKeptIsBounded(t *testing.T) {
	t.Parallel()
	h := edge(0)
	publish(h, shop, 1, maxEvents+5)
	slow := follow(t, h, "5")
	if got := taken(follow(t, h, "4")); !strings.HasPrefix(got, "reset ") {
		t.Errorf("an event that is too old is found: %q", got)
	}
	if got := slow.Next().Events; len(got) != maxEvents {
		t.Errorf("%d events are kept of a project", len(got))
	}

	one := (&Event{}).size()
	h = edge(3)
	h.Memory = 5 * one
	slow = follow(t, h, "")
	publish(h, shop, 4, 5)
	publish(h, project(2), 1, 1)
	publish(h, project(3), 1, 1)
	publish(h, shop, 6, 6) // now it changed last, and all is full
	publish(h, project(4), 1, 1)
	if h.size != 5*one || h.topics[project(2)] != nil {
		t.Errorf("%d events are kept, of %d projects", h.size/one, len(h.topics))
	}
	publish(h, project(3), 2, 3) // shop goes, but its reader is told
	if h.size > 5*one || h.topics[shop] == nil {
		t.Errorf("%d events are kept, of %d projects", h.size/one, len(h.topics))
	}
	if got := taken(slow); got != "reset 6:" {
		t.Errorf("a reader whose events were forgotten gets %q", got)
	}
	slow.Close()
	if h.topics[shop] != nil {
		t.Error("a project without events and readers is kept")
	}
}

// TestWhatAReaderTookStaysAsItWas while the hub goes on.
func TestWhatAReaderTookStaysAsItWas(t *testing.T) {
	t.Parallel()
	h := edge(0)
	s := follow(t, h, "")
	s.Next()
	publish(h, shop, 1, 3)
	events := s.Next().Events
	before := slices.Clone(events)
	publish(h, shop, 4, 3*maxEvents)
	h.Reset(shop, 1)
	if !slices.Equal(events, before) {
		t.Error("a batch has changed")
	}
}
