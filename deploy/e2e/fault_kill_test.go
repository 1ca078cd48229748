package e2e

import (
	"math/rand/v2"
	"testing"
	"time"

	"svc/bench/node"
	"svc/deploy/local"
	"svc/deploy/local/localtest"
	"svc/shared/testrand"
)

// killings is how often each part is killed.
var killings = localtest.Size(4, 20)

// TestNoReleaseIsLostWhereAPartIsKilled: under a stream of releases from four writers each part is killed at random moments,
// core also between a commit and its relay, with an edge cut off from it, and PostgreSQL also when it has just hung. Every
// release that was acknowledged is there once, every write that was sent with a key until it was answered took effect once,
// and every node holds and answers the same.
func TestNoReleaseIsLostWhereAPartIsKilled(t *testing.T) {
	all := newPrivateBed(t, local.Config{Links: true})
	for _, part := range []string{"core", "nats", "redis", "postgres", "edge-2"} {
		t.Run(part, func(t *testing.T) {
			random := testrand.New(t)
			b := all.on(t)
			b.project = b.newProject(posts, memos)
			w := startWriters(b, random)
			for i := range killings {
				if part == "core" && i%2 == 0 {
					b.killUnsent(w, random)
				} else {
					b.killAtRandom(part, w, random)
				}
			}
			b.holds(w.finish(), b.nodes()...)
		})
	}
}

// killAtRandom kills a part at some moment and starts it after another.
func (b *bed) killAtRandom(part string, w *writers, random *rand.Rand) {
	b.t.Helper()
	w.await(1 + random.IntN(5))
	if random.IntN(2) == 0 {
		// Everything works again since the last time.
		b.await(uint64(w.released()), "posts", b.nodes()...)
	}
	b.check(node.Pause(b.t.Context(), time.Duration(random.IntN(30))*time.Millisecond))
	if part == "postgres" && random.IntN(2) == 0 {
		b.check(b.stack.Pause(part))
		b.check(node.Pause(b.t.Context(), time.Duration(random.IntN(300))*time.Millisecond))
		b.check(b.stack.Resume(part))
		b.check(node.Pause(b.t.Context(), time.Duration(random.IntN(10))*time.Millisecond))
	}
	b.check(b.stack.KillPart(part))
	b.check(node.Pause(b.t.Context(), time.Duration(random.IntN(100))*time.Millisecond))
	b.check(b.stack.StartPart(b.t.Context(), part))
}

// killUnsent kills core when it has committed releases that it could not send.
func (b *bed) killUnsent(w *writers, random *rand.Rand) {
	b.t.Helper()
	fail := b.stack.Cut
	if random.IntN(2) == 0 {
		fail = b.stack.Refuse
	}
	b.check(fail("core", "nats"))
	w.await(1 + random.IntN(3))
	if random.IntN(2) == 0 {
		b.check(fail("edge-2", "core")) // answers get lost
		w.await(1)
	}
	b.check(b.stack.KillPart("core"))
	b.check(b.stack.Mend("edge-2", "core"))
	b.check(b.stack.Mend("core", "nats"))
	b.check(b.stack.StartPart(b.t.Context(), "core"))
}
