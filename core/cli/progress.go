package cli

import (
	"context"
	"fmt"
	"time"
)

const (
	// patience is how long a command may take before it says what it is doing.
	patience = time.Second
	// redraw is how often the line on a terminal is drawn anew, and relate how often a line is added elsewhere.
	redraw = 100 * time.Millisecond
	relate = 10 * time.Second
)

var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// during runs work and, where it takes longer than a moment, says on standard error what is going on: what, and
// what detail adds to it, if anything. The line is gone from a terminal when during returns.
func (a *app) during(ctx context.Context, what string, detail func() string, work func(ctx context.Context) error) error {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		a.showProgress(what, detail, stop)
	}()
	err := work(ctx)
	close(stop)
	<-stopped
	return err
}

func (a *app) showProgress(what string, detail func() string, stop <-chan struct{}) {
	began := time.Now()
	select {
	case <-stop:
		return
	case <-time.After(patience):
	}
	every := relate
	if a.ErrTerminal {
		every = redraw
		defer fmt.Fprint(a.Err, "\r\x1b[K")
	}
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for n := 0; ; n++ {
		a.drawProgress(n, progressLine(what, detail, time.Since(began)))
		select {
		case <-stop:
			return
		case <-ticks.C:
		}
	}
}

func (a *app) drawProgress(n int, line string) {
	if !a.ErrTerminal {
		fmt.Fprintln(a.Err, line)
		return
	}
	if a.Width > 0 {
		line = cut(line, a.Width-3)
	}
	fmt.Fprintf(a.Err, "\r\x1b[K%s %s", a.errStyle().paint(cyan, spinner[n%len(spinner)]), line)
}

func progressLine(what string, detail func() string, took time.Duration) string {
	line := what
	if detail != nil {
		if d := detail(); d != "" {
			line += ": " + d
		}
	}
	return fmt.Sprintf("%s (%s)", clean(line), took.Truncate(time.Second))
}
