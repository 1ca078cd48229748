package lint

import (
	"strings"
	"testing"
)

const sample = `
[packages]
low
middle    low      # a comment
high      middle tree/... free/any
tree/...
free/...  *
[modules]
example.org/driver  low tree/...
`

func parse(t *testing.T, text string) *Table {
	t.Helper()
	table, err := ParseTable(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestArrowsOnlyGoDown(t *testing.T) {
	table := parse(t, sample)
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"middle", "low", true},
		{"high", "middle", true},
		{"high", "low", true},
		{"high", "tree", true},
		{"high", "tree/leaf", true},
		{"high", "trees", false},
		{"low", "middle", false},
		{"low", "low", false},
		{"middle", "tree/leaf", false},
		{"tree/leaf", "low", false},
		{"free/any", "high", true},
		{"high", "free/any", true},
		{"high", "free/other", false},
		{"high", "tail", false},
	} {
		if got, err := table.MayImport(c.from, c.to); got != c.want || err != nil {
			t.Errorf("%s imports %s: %v, %v", c.from, c.to, got, err)
		}
	}
}

func TestModulesAreForThoseTheTableLists(t *testing.T) {
	table := parse(t, sample)
	for _, c := range []struct {
		from, external string
		want           bool
	}{
		{"low", "example.org/driver", true},
		{"low", "example.org/driver/sub", true},
		{"tree/leaf", "example.org/driver", true},
		{"middle", "example.org/driver", false},
		{"middle", "example.org/driver2", true},
		{"middle", "example.org/other", true},
		{"free/any", "example.org/driver", true},
	} {
		if got := table.MayUse(c.from, c.external); got != c.want {
			t.Errorf("%s uses %s: %v", c.from, c.external, got)
		}
	}
}

func TestTableFaultsAreExplained(t *testing.T) {
	if _, err := parse(t, sample).MayImport("unknown", "low"); err == nil || !strings.Contains(err.Error(), "arrows.txt") {
		t.Errorf("a package that is not in the table: %v", err)
	}
	if _, err := parse(t, "[packages]\na b\nb a").MayImport("a", "b"); err == nil || !strings.Contains(err.Error(), "a → b → a") {
		t.Errorf("a circle: %v", err)
	}
	if _, err := parse(t, "[packages]\na b").MayImport("a", "b"); err == nil {
		t.Error("an arrow to a package without a line")
	}
	for _, text := range []string{"a b", "[packages]\na\na"} {
		if _, err := ParseTable(strings.NewReader(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}
