package cli

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/core/wire"
)

// What is shown as one change are changes with less between them than either of them changes, and at most two words of one line.
func TestChangesWithLittleBetweenThemAreOne(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ before, after, want string }{
		"a sentence that is written anew": {"Before noon the boats, heavily laden, come in.", "Sometimes the ferries, quite empty, stay out.", "[-Before noon the boats, heavily laden, come in-]{+Sometimes the ferries, quite empty, stay out+}."},
		"longer words between them":       {"a harbour c", "b harbour d", "[-a-]{+b+} harbour [-c-]{+d+}"},
		"three words between them":        {"Everything is as it was", "Something is as it tomorrow", "[-Everything-]{+Something+} is as it [-was-]{+tomorrow+}"},
		"one is short":                    {"Everybody of a kind", "Nobody of b kind", "[-Everybody-]{+Nobody+} of [-a-]{+b+} kind"},
	} {
		var got strings.Builder
		for _, s := range joinChanges(changed(test.before, test.after).Segments) {
			got.WriteString(map[string]string{"delete": "[-" + s.Value + "-]", "insert": "{+" + s.Value + "+}"}[s.Op])
			if s.Op == "equal" {
				got.WriteString(s.Value)
			}
		}
		if got.String() != test.want {
			t.Errorf("%s: %s", name, got.String())
		}
	}
	lines := []wire.Segment{{Op: "delete", Value: "former"}, {Op: "equal", Value: "\n"}, {Op: "insert", Value: "latter"}}
	if d := cmp.Diff(lines, joinChanges(lines)); d != "" {
		t.Errorf("changes of two lines are one: %s", d)
	}
}

// Equal and deleted segments are the former text, and equal and inserted ones the new one, however they are joined.
func TestJoinedChangesReproduceBothTexts(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 8))
	words := []string{"the ", ", ", "a", " harbour", "\n", " quiet", "春の号", "x"}
	ops := []string{"equal", "delete", "insert"}
	texts := func(segments []wire.Segment) (before, after string) {
		for _, s := range segments {
			if s.Op != "insert" {
				before += s.Value
			}
			if s.Op != "delete" {
				after += s.Value
			}
		}
		return before, after
	}
	joined := 0
	for range 3000 {
		var segments []wire.Segment
		for range random.IntN(12) {
			segments = append(segments, wire.Segment{Op: ops[random.IntN(3)], Value: words[random.IntN(len(words))] + words[random.IntN(len(words))]})
		}
		before, after := texts(segments)
		all := joinChanges(segments)
		if was, is := texts(all); was != before || is != after {
			t.Fatalf("%v became %v", segments, all)
		}
		if len(all) < len(segments) {
			joined++
		}
	}
	if joined < 1000 {
		t.Errorf("only %d of 3000 were joined", joined)
	}
}
