package cli

import (
	"bytes"
	"context"
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
		a := &app{World: World{Err: &errs, ErrTerminal: terminal, Width: 40, Env: func(string) string { return "" }}}
		began := time.Now()
		detail := func() string { return "working: at " + time.Since(began).Truncate(time.Second).String() }
		err := a.during(detail, func() error {
			time.Sleep(takes)
			return nil
		})
		if err != nil {
			t.Error(err)
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
	if text := progressOf(t, false, 1500*time.Millisecond); text != "working: at 1s (1s)\n" {
		t.Errorf("%q", text)
	}
}

func TestProgressElsewhereIsALineNowAndThen(t *testing.T) {
	t.Parallel()
	want := "working: at 1s (1s)\nworking: at 11s (11s)\nworking: at 21s (21s)\n"
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
	if n := len(drawn); n != 5 || drawn[n-2] != "working: at 3s (3s)" {
		t.Errorf("drawn %d times, at last %q", len(drawn), drawn[len(drawn)-2])
	}
}

func TestRowsAreCounted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		total int64
		want  string
	}{
		{"", 0, "0 rows, 0 B sent, waiting for the service"},
		{"{}\n", 0, "1 row, 3 B sent, waiting for the service"},
		{"\uFEFF{}\n{}", 0, "2 rows, 8 B sent, waiting for the service"},
		{"\uFEFF\n{}", 0, "1 row, 6 B sent, waiting for the service"},
		{"{}\n \r\n{}", 5, "2 rows, 8 B sent, waiting for the service"},
	} {
		r := &rows{from: closer{strings.NewReader(c.text)}, total: c.total}
		if err := iotest.TestReader(r, []byte(c.text)); err != nil {
			t.Error(err)
		}
		if got := r.progress(); got != c.want || r.failure() != nil {
			t.Errorf("%q: %s, %v", c.text, got, r.failure())
		}
	}
	r := &rows{from: closer{strings.NewReader("{}\n{}")}, total: 4096}
	if _, err := r.Read(make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	if got := r.progress(); got != "2 rows, 4 B of 4.0 KiB sent" {
		t.Errorf("%s", got)
	}
	r = &rows{from: closer{iotest.ErrReader(context.DeadlineExceeded)}}
	if _, err := r.Read(make([]byte, 4)); err == nil || r.failure() == nil {
		t.Error("a read that fails is kept")
	}
}
