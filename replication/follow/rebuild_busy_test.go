package follow_test

import (
	"errors"
	"testing"
	"time"

	"svc/replication/follow/followtest"
	"svc/replication/record"
)

// gate is where work stops, each time it comes by, until it is let on, well or with an error.
type gate struct {
	t        *testing.T
	came     chan struct{}
	decision chan error
}

func newGate(t *testing.T) *gate {
	return &gate{t, make(chan struct{}), make(chan error)}
}

// pass waits to be let on; the end of the test lets everything on.
func (g *gate) pass() error {
	select {
	case g.came <- struct{}{}:
	case <-g.t.Context().Done():
		return nil
	}
	select {
	case err := <-g.decision:
		return err
	case <-g.t.Context().Done():
		return nil
	}
}

// reached waits until work is at the gate. Do is done again and again meanwhile.
func (g *gate) reached(r *rig, do func()) {
	g.t.Helper()
	r.until("work is at the gate", func() bool {
		do()
		select {
		case <-g.came:
			return true
		default:
			return false
		}
	})
}

func (g *gate) let(err error) {
	select {
	case g.decision <- err:
	case <-g.t.Context().Done():
	}
}

// At whatever moment a rebuild is asked for, it begins as soon as what is done with the log just then has ended, however
// that ends. Trying again what failed waits for an hour here, so nothing else can be what mends the log.
func TestARebuildAskedForMeanwhileBeginsAtOnceAfterwards(t *testing.T) {
	no := errors.New("no")
	for _, c := range []struct {
		name  string
		begin func(r *rig, f *running, project string, change, load *gate)
		end   func(change, load *gate)
		loads int
	}{
		{"while a message is applied that the store does not take", func(r *rig, f *running, project string, change, _ *gate) {
			r.relay(project)
			change.reached(r, func() {})
		}, func(change, load *gate) {
			change.let(no)
			load.let(nil)
		}, 1},
		{"while a message is applied", func(r *rig, f *running, project string, change, _ *gate) {
			r.relay(project)
			change.reached(r, func() {})
		}, func(change, load *gate) {
			change.let(nil)
			load.let(nil)
		}, 1},
		{"while a repair is under way that fails", func(r *rig, f *running, project string, change, _ *gate) {
			change.reached(r, func() { r.beat(time.Now()) })
		}, func(change, load *gate) {
			change.let(no)
			load.let(nil)
		}, 1},
		{"while a stopped log waits to be tried again", func(r *rig, f *running, project string, change, _ *gate) {
			r.relay(project)
			change.reached(r, func() {})
			change.let(no)
			r.until("the log waits", func() bool { s, _ := f.Log(project); return s.Trouble != nil })
		}, func(change, load *gate) { load.let(nil) }, 1},
		{"while a rebuild is under way that fails", func(r *rig, f *running, project string, _, load *gate) {
			f.Rebuild(project)
			load.reached(r, func() {})
		}, func(_, load *gate) {
			load.let(no)
			load.let(nil)
		}, 1},
		{"while a rebuild is under way that succeeds", func(r *rig, f *running, project string, _, load *gate) {
			f.Rebuild(project)
			load.reached(r, func() {})
		}, func(_, load *gate) {
			load.let(nil)
			load.let(nil)
		}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			project := r.project()
			change, load := newGate(t), newGate(t)
			store := &followtest.Store{
				Refuse: func(c *record.Change) error {
					if c.Position.Seq == 3 {
						return change.pass()
					}
					return nil
				},
				RefuseLoad: func(string) error { return load.pass() },
			}
			tuning := quick()
			tuning.Retry, tuning.LongestRetry = time.Hour, time.Hour
			f := r.follow(store, tuning)
			f.ready()
			r.lose(project)
			r.publish(project, 1)
			c.begin(r, f, project, change, load)
			f.Rebuild(project)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				c.end(change, load)
			}()
			r.until("the log is rebuilt", func() bool {
				for _, g := range []*gate{change, load} {
					select {
					case <-g.came:
					default:
					}
				}
				return len(f.Rebuilding()) == 0
			})
			<-ended
			f.level(project)
			f.alarmed("", "")
			if n := f.loads(project); n != c.loads {
				t.Errorf("%d loads instead of %d", n, c.loads)
			}
		})
	}
}
