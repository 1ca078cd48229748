package follow

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"svc/replication/record"
)

// A log that is to be looked at later is looked at sooner once that is wanted, also where the later time was set first: it
// may have been half a minute away.
func TestALogIsLookedAtWhenItIsDueNotWhenItWasDue(t *testing.T) {
	f := &Follower{repairs: newQueue(), ctx: t.Context()}
	l := &log{id: "prj_1", repair: true, notBefore: time.Now().Add(time.Hour)}
	f.kick(l)
	l.mu.Lock()
	l.notBefore = time.Now().Add(time.Millisecond)
	l.mu.Unlock()
	f.kick(l)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if f.repairs.pop(ctx) != l {
		t.Error("the log was not looked at")
	}
}

// answering is a core that does something while it answers.
type answering struct {
	Core
	meanwhile func()
	head      record.Position
}

func (c answering) Changes(context.Context, string, record.Position, record.Stamp, func([]byte) error) (record.Position, error) {
	c.meanwhile()
	return c.head, nil
}

// holdsNothing is a store of which nothing but the content is asked.
type holdsNothing struct{ Applier }

func (holdsNothing) Content(context.Context, string) (Content, error) { return Content{}, nil }

// What comes to be suspected of a log while core answers is not settled by that answer, which may be from before.
func TestASuspicionOutlivesAnAnswerThatWasUnderWay(t *testing.T) {
	at := record.Position{Epoch: 1, Seq: 3, Chain: record.Hash{3}}
	l := &log{id: "prj_1", at: at, head: at, known: true, suspect: true, busy: true}
	f := &Follower{logs: map[string]*log{l.id: l}, ctx: t.Context()}
	meanwhile := func() {}
	f.cfg = Config{
		Applier: holdsNothing{}, Core: answering{meanwhile: func() { meanwhile() }, head: at}, Now: time.Now, Metrics: NewMetrics(prometheus.NewRegistry()),
	}
	asked := func(before bool) bool {
		t.Helper()
		l.suspect = before
		if err := f.askCore(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		return l.suspect
	}
	if asked(true) {
		t.Error("the suspicion is not settled by core's answer")
	}
	meanwhile = func() {
		back := record.Position{Epoch: 1, Seq: 2, Chain: record.Hash{2}}
		f.learn(record.Head{Log: l.id, Position: back}, time.Time{}, true)
		f.missing(l, false, time.Now())
	}
	if !asked(true) || !l.repair {
		t.Error("a suspicion of meanwhile is forgotten")
	}
}
