package cli

import (
	"fmt"
	"time"
)

const (
	// quiet is how long a command may take before it says what it is doing.
	quiet = time.Second
	// redraw is how often the line on a terminal is drawn again, and repeat how often a line is added elsewhere.
	redraw, repeat = time.Second, 10 * time.Second
)

// during runs work and, where it takes longer than a moment, says on standard error what is going on. A terminal has one
// line for it, which is gone when during returns.
func (a *app) during(what func() string, work func() error) error {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		a.showProgress(what, stop)
	}()
	err := work()
	close(stop)
	<-stopped
	return err
}

func (a *app) showProgress(what func() string, stop <-chan struct{}) {
	const erase = "\r\x1b[K"
	began, next, drawn := time.Now(), quiet, false
	for {
		select {
		case <-stop:
			if drawn {
				fmt.Fprint(a.Err, erase)
			}
			return
		case <-time.After(next):
		}
		line := []rune(fmt.Sprintf("%s (%s)", clean(what()), time.Since(began).Truncate(time.Second)))
		if !a.ErrTerminal {
			next = repeat
			fmt.Fprintln(a.Err, string(line))
			continue
		}
		if a.Width > 0 {
			line = line[:min(len(line), a.Width-1)]
		}
		next, drawn = redraw, true
		fmt.Fprint(a.Err, erase+string(line))
	}
}

// ask is during for a question to the service.
func ask[T any](a *app, what string, question func() (T, error)) (answer T, err error) {
	err = a.during(func() string { return what }, func() error {
		answer, err = question()
		return err
	})
	return answer, err
}
