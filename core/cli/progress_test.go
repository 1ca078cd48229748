package cli

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// progressOf is what standard error shows of work that takes so long; time passes by itself.
func progressOf(t *testing.T, terminal bool, takes time.Duration) (text string) {
	synctest.Test(t, func(t *testing.T) {
		var errs bytes.Buffer
		a := &app{World: World{Err: &errs, ErrTerminal: terminal, Env: func(string) string { return "" }}}
		if got, err := ask(a, "working", func() (int, error) { time.Sleep(takes); return 7, nil }); got != 7 || err != nil {
			t.Errorf("%d, %v", got, err)
		}
		text = errs.String()
	})
	return text
}

func TestProgressShowsAfterASecond(t *testing.T) {
	t.Parallel()
	for _, terminal := range []bool{false, true} {
		if text := progressOf(t, terminal, 999*time.Millisecond); text != "" {
			t.Errorf("terminal %v: %q", terminal, text)
		}
	}
	if text := progressOf(t, false, 1500*time.Millisecond); text != "working (1s)\n" {
		t.Errorf("%q", text)
	}
}

func TestProgressElsewhereIsALineNowAndThen(t *testing.T) {
	t.Parallel()
	want := "working (1s)\nworking (11s)\nworking (21s)\n"
	if text := progressOf(t, false, 25*time.Second); text != want {
		t.Errorf("%q", text)
	}
}

func TestProgressOnATerminalIsOneLineThatGoesAway(t *testing.T) {
	t.Parallel()
	text := progressOf(t, true, 3500*time.Millisecond)
	drawn := strings.Split(text, "\r\x1b[K")
	if strings.Contains(text, "\n") || drawn[len(drawn)-1] != "" {
		t.Errorf("%q", text)
	}
	if n := len(drawn); n != 5 || drawn[n-2] != "working (3s)" {
		t.Errorf("drawn %d times, at last %q", len(drawn), drawn[len(drawn)-2])
	}
}

func TestRowsAreCounted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int{"": nil, "{}\n": {1}, "{}\n{}": {1, 2}, "\n{}": {2}, "{}\n \r\n{}": {1, 3}} {
		r := &rows{from: io.NopCloser(strings.NewReader(text))}
		if err := iotest.TestReader(r, []byte(text)); err != nil {
			t.Error(err)
		}
		if !slices.Equal(r.rows, want) || r.failure() != nil || r.lineOf(len(want)) != 0 {
			t.Errorf("%q: %v, %v", text, r.rows, r.failure())
		}
	}
	r := &rows{from: io.NopCloser(iotest.ErrReader(context.DeadlineExceeded))}
	if _, err := r.Read(make([]byte, 4)); err == nil || r.failure() == nil {
		t.Error("a read that fails is kept")
	}
}
