package limit

import (
	"testing"
	"time"
)

func reporting(rate float64, burst int) (*Limiter, *clock) {
	l, c := newTest(rate, burst)
	l.startReporting()
	return l, c
}

func TestOnlyWhatWasSpentIsReported(t *testing.T) {
	t.Parallel()
	l, _ := reporting(50, 200)
	l.Allow(v4, "p")
	l.Allow(v4, "p")
	got := l.takeUsage()
	if len(got) != 1 || got[0].n != 2*unit || got[0].key.project != "p" {
		t.Fatalf("drained %v", got)
	}
	l.applyResult(got[0], 2*unit, -1, 0)
	if got := l.takeUsage(); len(got) != 0 {
		t.Fatalf("drained again: %v", got)
	}
	unheard, _ := newTest(50, 200)
	unheard.Allow(v4, "p")
	if got := unheard.takeUsage(); len(got) != 0 {
		t.Fatalf("without a reporter: %v", got)
	}
}

// What all edges together did not allow closes the door, is reported again, and opens the door when it is allowed.
func TestDebtsAreReportedUntilTheyArePaid(t *testing.T) {
	t.Parallel()
	l, c := reporting(50, 200)
	for range 10 {
		l.Allow(v4, "p")
	}
	l.applyResult(l.takeUsage()[0], 4*unit, -1, 4*time.Second)
	if d := l.Allow(v4, "p"); d.Allowed || d.RetryAfter != 6*20*time.Millisecond {
		t.Fatalf("in debt: %+v", d)
	}
	c.t = c.t.Add(100 * time.Millisecond)
	again := l.takeUsage()
	if len(again) != 1 || again[0].n != 6*unit {
		t.Fatalf("the debt is reported as %v", again)
	}
	l.applyResult(again[0], 5*unit, -1, 4*time.Second)
	if got := l.takeUsage(); len(got) != 1 || got[0].n != unit {
		t.Fatalf("the rest is reported as %v", got)
	}
	c.t = c.t.Add(time.Second)
	l.applyResult(usage{again[0].key, unit}, unit, -1, 3*time.Second)
	if d := l.Allow(v4, "p"); !d.Allowed || d.Remaining != 49 {
		t.Fatalf("out of debt, with a second's worth left of what all share: %+v", d)
	}
}

// What is spent while a report is under way counts too.
func TestSpendingDuringAReport(t *testing.T) {
	t.Parallel()
	l, _ := reporting(50, 200)
	for range 150 {
		l.Allow(v4, "p")
	}
	under := l.takeUsage()[0]
	for range 20 {
		l.Allow(v4, "p")
	}
	l.applyResult(under, 150*unit, -1, 3*time.Second)
	if d := l.Allow(v4, "p"); d.Remaining != 29 {
		t.Fatalf("200 less 171: %+v", d)
	}
	l.applyResult(l.takeUsage()[0], 21*unit, -1, 4*time.Second)
	if l.Allow(v4, "p").Allowed {
		t.Fatal("admitted beyond what all share")
	}
}

func TestForgivenDebtsAreGone(t *testing.T) {
	t.Parallel()
	l, c := reporting(50, 200)
	for range 10 {
		l.Allow(v4, "p")
	}
	l.applyResult(l.takeUsage()[0], 0, time.Second, 4*time.Second)
	for _, s := range l.takeUsage() {
		l.dropUnreported(s)
	}
	if got := l.takeUsage(); len(got) != 0 {
		t.Fatalf("still reported: %v", got)
	}
	if d := l.Allow(v4, "p"); d.Allowed || d.RetryAfter != time.Second {
		t.Fatalf("a closed door: %+v", d)
	}
	c.t = c.t.Add(time.Second)
	if !l.Allow(v4, "p").Allowed {
		t.Fatal("still closed")
	}
}

func TestSettlingAForgottenKeyDoesNothing(t *testing.T) {
	t.Parallel()
	l, _ := reporting(50, 200)
	near, _ := groups(v4)
	l.applyResult(usage{key{near, "p"}, 3 * unit}, 0, time.Second, time.Second)
	if l.size() != 0 {
		t.Fatal("the key is back")
	}
}
