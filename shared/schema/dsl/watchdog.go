package dsl

import (
	"os"
	"runtime/metrics"
	"sync"
	"time"
)

// watchdog ends what takes too long or too much. It first asks the running engine to stop, which tells where the file
// was, and ends the process where that does not help: native code of the engine cannot be asked.
type watchdog struct {
	budget  budget
	started time.Time

	mu      sync.Mutex
	stop    func(exceeded Code)
	over    Code
	stopped chan struct{}
}

// watch begins to watch this process, which was started at started.
func watch(b budget, started time.Time) *watchdog {
	w := &watchdog{budget: b, started: started, stopped: make(chan struct{})}
	go w.run()
	return w
}

func (w *watchdog) run() {
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-w.stopped:
			return
		case <-ticker.C:
		}
		w.check()
	}
}

// check ends or stops what takes too long or too much by now. An evaluation calls it too before it lets go of what a
// file made, which may have been too much for less time than the watchdog sleeps.
func (w *watchdog) check() {
	live, held := memory()
	gone := time.Since(w.started)
	switch {
	case held > w.budget.heldBytes():
		os.Exit(exitMemory)
	case gone > w.budget.leave():
		os.Exit(w.exit())
	case live > w.budget.liveBytes():
		w.exceed(CodeMemoryLimit)
	case gone > w.budget.interrupt():
		w.exceed(CodeTimeLimit)
	}
}

// exit is for running out of time, which may be the consequence of running out of memory.
func (w *watchdog) exit() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over == CodeMemoryLimit {
		return exitMemory
	}
	return exitTime
}

func (w *watchdog) exceed(code Code) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over == "" {
		w.over = code
	}
	if w.stop != nil {
		w.stop(w.over)
	}
}

// guard has stop called when a limit is exceeded, also where it is already.
func (w *watchdog) guard(stop func(exceeded Code)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stop = stop
	if w.over != "" {
		stop(w.over)
	}
}

// exceeded is the limit that was exceeded, or "".
func (w *watchdog) exceeded() Code {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.over
}

// done ends the watch: nothing of the files runs any more.
func (w *watchdog) done() { close(w.stopped) }

// memory is what the last collection left and what the Go runtime holds now, in bytes.
func memory() (live, held uint64) {
	samples := [...]metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples[:])
	return samples[0].Value.Uint64(), samples[1].Value.Uint64() - samples[2].Value.Uint64()
}
