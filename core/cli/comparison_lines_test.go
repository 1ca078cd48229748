package cli

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"svc/core/wire"
)

// Lines are compared with as few edits as can be: those of a longest common subsequence.
func TestLinesAreComparedWithTheFewestEdits(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 3))
	lines := func() (all []string) {
		for range random.IntN(14) {
			all = append(all, string(rune('a'+random.IntN(4)))+"\n")
		}
		return all
	}
	for range 5000 {
		was, is := lines(), lines()
		var before, after strings.Builder
		edits := 0
		for _, s := range lineSegments(was, is) {
			if s.Op != "insert" {
				before.WriteString(s.Value)
			}
			if s.Op != "delete" {
				after.WriteString(s.Value)
			}
			if s.Op != "equal" {
				edits += strings.Count(s.Value, "\n")
			}
		}
		if fewest := len(was) + len(is) - 2*longestCommon(was, is); before.String() != strings.Join(was, "") || after.String() != strings.Join(is, "") || edits != fewest {
			t.Fatalf("%q and %q have %d edits, and could have %d: %q, %q", was, is, edits, fewest, before.String(), after.String())
		}
	}
}

func longestCommon(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for n, y := range b {
			above := row[n+1]
			if x == y {
				row[n+1] = diagonal + 1
			} else {
				row[n+1] = max(above, row[n])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// Of a long list or text in which little has changed, the changes and the lines next to them are shown.
func TestScatteredEditsAreShownEachByItself(t *testing.T) {
	t.Parallel()
	var was []string
	for n := range 10_000 {
		was = append(was, fmt.Sprintf("line %d", n))
	}
	is := append(append(append([]string{}, was[:5000]...), "put in"), was[5000:9998]...)
	is[1] = "changed"
	list := func(lines []string) jsontext.Value { return jsontext.Value(`["` + strings.Join(lines, `","`) + `"]`) }
	text := func(lines []string) string { return strings.Join(lines, "\n") + "\n" }
	for name, test := range map[string]struct {
		change wire.Change
		want   []string
	}{
		"a list": {wire.Change{Kind: "changed", Before: list(was), After: list(is)}, []string{
			"  [", `    "line 0",`, `-   "line 1",`, `+   "changed",`, `    "line 2",`, "  …", `    "line 4999",`, `+   "put in",`, `    "line 5000",`, "  …", `    "line 9996",`,
			`-   "line 9997",`, `-   "line 9998",`, `-   "line 9999"`, `+   "line 9997"`, "  ]",
		}},
		"a text of which the service compares no words": {wire.Change{Kind: "changed", Segments: []wire.Segment{
			{Op: "equal", Value: text(was[:1])}, {Op: "delete", Value: text(was[1:])}, {Op: "insert", Value: text(is[1:])},
		}}, []string{
			"  line 0", "- line 1", "+ changed", "  line 2", "  …", "  line 4999", "+ put in", "  line 5000", "  …", "  line 9997", "- line 9998", "- line 9999",
		}},
	} {
		var got []string
		for _, b := range compare(test.change, false).blocks {
			for _, l := range b.lines() {
				got = append(got, l.mark+l.runs[0].text)
			}
		}
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// Lines that have nothing to do with each other are not searched for what they have in common.
func TestLinesWithTooManyEditsAreEqualAtTheEndsAlone(t *testing.T) {
	t.Parallel()
	lines := func(name string) []string {
		all := []string{"first\n"}
		for n := range maxEdits {
			all = append(all, fmt.Sprintf("%s %d\n", name, n), "both\n")
		}
		return append(all, "last\n")
	}
	var ops []string
	for _, s := range lineSegments(lines("a"), lines("b")) {
		ops = append(ops, s.Op)
	}
	if got := strings.Join(ops, " "); got != "equal delete insert equal" {
		t.Error(got)
	}
}

// Of very many changed lines the first are shown, of both states, and how many more there are; in full, all of them.
func TestManyChangedLinesAreCut(t *testing.T) {
	t.Parallel()
	lines := func(name string, n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprintf("%s %d", name, i))
		}
		return all
	}
	list := func(lines []string) jsontext.Value { return jsontext.Value(`["` + strings.Join(lines, `","`) + `"]`) }
	mixed := lines("old", 120)
	for n := 1; n < len(mixed); n += 2 {
		mixed[n] = fmt.Sprintf("both %d", n)
	}
	renewed := strings.Split(strings.ReplaceAll(strings.Join(mixed, "\n"), "old", "new"), "\n")
	for name, test := range map[string]struct {
		was, is     []string
		minus, plus int
		more        string
	}{
		"a list that is all new":  {lines("old", 10_000), lines("new", 10_000), 25, 25, "… 19,950 more changed lines"},
		"most of it deleted":      {lines("old", 10_000), lines("new", 10), 40, 10, "… 9,960 more changed lines"},
		"many edits":              {mixed, renewed, 25, 25, "… 70 more changed lines"},
		"as many as can be shown": {lines("old", 25), lines("new", 25), 25, 25, ""},
	} {
		change := wire.Change{Kind: "changed", Before: list(test.was), After: list(test.is)}
		var marks strings.Builder
		more := ""
		c := compare(change, false)
		for _, b := range c.blocks {
			for _, l := range b.lines() {
				marks.WriteString(l.mark[:1])
				more = l.runs[0].text
			}
		}
		if minus, plus := strings.Count(marks.String(), "-"), strings.Count(marks.String(), "+"); minus != test.minus || plus != test.plus {
			t.Errorf("%s: %d lines of the former state, %d of the new one", name, minus, plus)
		}
		if c.folded != (test.more != "") || c.folded && more != test.more {
			t.Errorf("%s: the last line is %q", name, more)
		}
		marks.Reset()
		for _, b := range compare(change, true).blocks {
			for _, l := range b.lines() {
				marks.WriteString(l.mark[:1])
			}
		}
		if got := strings.Count(marks.String(), "-"); got < test.minus || got < len(test.was)/2 {
			t.Errorf("%s: in full, %d lines of the former state", name, got)
		}
	}
}
