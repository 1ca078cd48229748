package readtest

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the answers that come into the scripts")

func TestScripts(t *testing.T) {
	if *update {
		rewriteAll(t)
		return
	}
	Replay(t, func(*testing.T) Site { return EngineSite(NewMemory()) })
}

func rewriteAll(t *testing.T) {
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		text, err := s.rewrite(t.Context(), EngineSite(NewMemory()))
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if err := os.WriteFile(s.name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
