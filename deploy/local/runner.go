package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"svc/deploy/local/process"
)

const (
	// readyWithin is how long a part may take from its start until it serves.
	readyWithin = 60 * time.Second
	// probeEvery is the pause between two probes of a starting part.
	probeEvery = 50 * time.Millisecond
	// startAttempts is how often the first start of a part is tried when its program ends instead of serving, where the
	// part says nothing else.
	startAttempts = 3
	// firstBackoff doubles with each failure up to lastBackoff, and starts over when a part has run for steadyAfter.
	firstBackoff = 100 * time.Millisecond
	lastBackoff  = 5 * time.Second
	steadyAfter  = 30 * time.Second
)

// runner keeps one part running.
type runner struct {
	stack *Stack
	part  part

	// control serialises start, stop and kill.
	control sync.Mutex
	// cancel ends the supervision, supervised is closed when it has ended; both nil while the part is down on purpose.
	cancel     context.CancelFunc
	supervised chan struct{}

	mu      sync.Mutex
	running *process.Process
	readiness
}

var errDown = errors.New("is not running")

// start starts the part, waits until it serves and keeps it running from then on.
func (r *runner) start(ctx context.Context) error {
	r.control.Lock()
	defer r.control.Unlock()
	if r.cancel != nil {
		return nil
	}
	began := time.Now()
	backoff := firstBackoff
	proc, err := r.launch(ctx)
	for attempt := 1; err != nil && attempt < cmp.Or(r.part.attempts, startAttempts) && errors.As(err, new(*endedError)); attempt++ {
		if err := sleep(ctx, backoff); err != nil {
			return err
		}
		backoff = min(2*backoff, lastBackoff)
		proc, err = r.launch(ctx)
	}
	if err != nil {
		return err
	}
	r.stack.say("%-9s ready on port %d after %s", r.part.name, r.part.port, time.Since(began).Round(time.Millisecond))
	supervision, cancel := context.WithCancel(context.Background())
	r.cancel, r.supervised = cancel, make(chan struct{})
	r.note(func(n *readiness) { *n = readiness{ready: true, kept: true, news: n.news} })
	go r.supervise(supervision, proc)
	return nil
}

// endedError says that a program ended while it was expected to serve.
type endedError struct {
	name, how, tail string
}

func (e *endedError) Error() string {
	if e.tail == "" {
		return fmt.Sprintf("%s ended while starting (%s)", e.name, e.how)
	}
	return fmt.Sprintf("%s ended while starting (%s); its log ends with:\n%s", e.name, e.how, e.tail)
}

func howItEnded(proc *process.Process) string {
	if err := proc.Err(); err != nil {
		return err.Error()
	}
	return "exit status 0"
}

// whatBecameOf tells a program that was asked to end, and did, from one that died.
func whatBecameOf(proc *process.Process) string {
	end := "died"
	if proc.Err() == nil {
		end = "stopped"
	}
	return fmt.Sprintf("%s (%s)", end, howItEnded(proc))
}

// launch starts the program once and waits until it serves. On failure it is not running.
func (r *runner) launch(ctx context.Context) (*process.Process, error) {
	proc, err := r.stack.launch(ctx, r.part)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.part.name, err)
	}
	r.mu.Lock()
	r.running = proc
	r.mu.Unlock()
	if err := r.awaitReady(ctx, proc); err != nil {
		proc.Kill()
		return nil, err
	}
	return proc, nil
}

func (r *runner) awaitReady(ctx context.Context, proc *process.Process) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	for {
		fault := r.probe(ctx)
		if fault == nil {
			return nil
		}
		select {
		case <-proc.Done():
			return &endedError{r.part.name, howItEnded(proc), proc.Tail(8)}
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready (%w): %w; its log is %s",
				r.part.name, context.Cause(ctx), fault, r.stack.logFile(r.part.name))
		case <-time.After(probeEvery):
		}
	}
}

func (r *runner) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return r.part.probe(ctx)
}

// supervise brings the part back whenever it dies, until the context ends.
func (r *runner) supervise(ctx context.Context, proc *process.Process) {
	defer close(r.supervised)
	backoff, began := firstBackoff, time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-proc.Done():
		}
		r.note(func(n *readiness) { n.ready = false })
		if time.Since(began) > steadyAfter {
			backoff = firstBackoff
		}
		r.stack.say("%s %s; starting it again in %s", r.part.name, whatBecameOf(proc), backoff)
		for {
			if sleep(ctx, backoff) != nil {
				return
			}
			backoff = min(2*backoff, lastBackoff)
			next, err := r.launch(ctx)
			if err == nil {
				proc, began = next, time.Now()
				r.note(func(n *readiness) { n.ready = true })
				r.stack.say("%s is back", r.part.name)
				break
			}
			if ctx.Err() != nil {
				return
			}
			r.note(func(n *readiness) { n.failures, n.fault = n.failures+1, err })
			r.stack.say("%v; trying again in %s", err, backoff)
		}
	}
}

func (r *runner) stop() { r.end((*process.Process).End) }

func (r *runner) kill() { r.end((*process.Process).Kill) }

// end stops the supervision, then the program.
func (r *runner) end(how func(*process.Process)) {
	r.control.Lock()
	defer r.control.Unlock()
	if r.cancel == nil {
		return
	}
	r.cancel()
	<-r.supervised
	r.cancel, r.supervised = nil, nil
	r.note(func(n *readiness) { n.ready, n.kept = false, false })
	r.mu.Lock()
	proc := r.running
	r.mu.Unlock()
	how(proc)
}

func (r *runner) signal(signal syscall.Signal) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running == nil {
		return fmt.Errorf("%s %w", r.part.name, errDown)
	}
	if err := r.running.Signal(signal); err != nil {
		return fmt.Errorf("signal %s: %w", r.part.name, err)
	}
	return nil
}

func (r *runner) pid() (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running == nil {
		return 0, fmt.Errorf("%s %w", r.part.name, errDown)
	}
	if r.running.Ended() {
		return 0, fmt.Errorf("%s %w", r.part.name, errDown)
	}
	return r.running.Pid(), nil
}

// sleep waits, or returns the context's error.
func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
