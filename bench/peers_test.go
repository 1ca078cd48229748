package bench

import (
	"bytes"
	"strings"
	"testing"
)

func TestPeersSaysThatItWasLeftOut(t *testing.T) {
	b := &Bench{Config: Config{Bin: t.TempDir()}, Report: &Report{Scenario: "peers"}}
	if err := peers(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := b.Report.print(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "LEFT OUT  PocketBase is not built: `make bench-peers`") {
		t.Error(out.String())
	}
}

func TestEveryKindOfWorkHasAFactorToReach(t *testing.T) {
	for _, f := range factors {
		for _, letter := range strings.Split("abcdef", "") {
			if f.least[letter] == 0 {
				t.Errorf("%s to %s has none for %s", f.of, f.to, letter)
			}
		}
	}
}
