package bench

import (
	"bytes"
	"strings"
	"testing"
)

// What a report calls itself names the size of that run, not of the full one.
func TestScenariosSayTheSizeOfTheRun(t *testing.T) {
	want := map[string][2]string{ // in full, and in a quick run
		"table": {
			"the performance table: 100,000 entries, in process and on an edge",
			"the performance table: 1,800 entries, in process and on an edge",
		},
		"million": {
			"the lists of the performance table at 1,000,000 entries, against a tenth of them",
			"the lists of the performance table at 6,000 entries, against a tenth of them",
		},
		"step": {"readers across a release of 10,000 entries", "readers across a release of 1,000 entries"},
		"peers": {
			"the same reads of 10,000 posts from an edge, PocketBase and PostgreSQL alone",
			"the same reads of 300 posts from an edge, PocketBase and PostgreSQL alone",
		},
		"push": {
			"schema pushes over 100,000 entries, and what core keeps resident",
			"schema pushes over 1,800 entries, and what core keeps resident",
		},
		"publish": {
			"imports and publishes of few and many entries, next to 100,000 others",
			"imports and publishes of few and many entries, next to 1,800 others",
		},
		"sets": {
			"change sets of 10,000 entries: import, diff, publish, rebase, revert, and what core keeps resident",
			"change sets of 400 entries: import, diff, publish, rebase, revert, and what core keeps resident",
		},
		"previews": {
			"reads with a preview token of many edits, next to 100,000 entries, and what core keeps resident",
			"reads with a preview token of many edits, next to 1,800 entries, and what core keeps resident",
		},
	}
	for _, s := range scenarios() {
		full, quick := s.description(Config{}), s.description(Config{Quick: true})
		if sizes, sized := want[s.name]; sized && sizes != [2]string{full, quick} {
			t.Errorf("%s: in full %q, quick %q", s.name, full, quick)
		} else if !sized && (full != s.about || quick != s.about || strings.ContainsAny(full, "%0")) {
			t.Errorf("%s: in full %q, quick %q", s.name, full, quick)
		}
	}
}

func TestHelpSaysTheSizeOfAFullRun(t *testing.T) {
	var out bytes.Buffer
	if err := Main(t.Context(), []string{"-h"}, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "schema pushes over 100,000 entries") || strings.Contains(out.String(), "%") {
		t.Error(out.String())
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1800: "1,800", 100_000: "100,000", 1_000_007: "1,000,007"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
