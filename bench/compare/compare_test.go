package compare

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/bench/load"
	"svc/deploy/local/localtest"
)

// Figures of two runs can only be held against each other when both had the same content.
func TestContentIsTheSameInEveryRun(t *testing.T) {
	hash := sha256.New()
	if err := Make(100).WriteLines(hash); err != nil {
		t.Fatal(err)
	}
	const want = "20ac7c9442f1f9d5"
	if got := fmt.Sprintf("%x", hash.Sum(nil)[:8]); got != want {
		t.Errorf("the content has the hash %s instead of %s", got, want)
	}
}

// PocketBase looks for parts of words in bodies, an edge for whole words in all texts.
func TestSearchesFindTheSameOnEveryServer(t *testing.T) {
	words := slices.Sorted(slices.Values(vocabulary))
	if words = slices.Compact(words); len(words) != 5_000 {
		t.Errorf("there are %d different words", len(words))
	}
	for _, word := range words {
		if len(word) != 6 {
			t.Errorf("%s may be a part of another word, or another of it", word)
		}
	}
	for _, category := range categories {
		if _, found := slices.BinarySearch(words, category); found {
			t.Errorf("%s is a word of bodies too", category)
		}
	}
	for _, p := range Make(100).Posts {
		if !strings.Contains(p.Body, p.Title) {
			t.Errorf("the title of %s is not in its body", p.Slug)
		}
	}
}

func TestWorkHasAllItsVariants(t *testing.T) {
	want := map[string]int{"a": 500, "b": 1, "c": 504, "d": 100, "e": 100, "f": 20}
	for _, w := range Make(10_000).Work() {
		if len(w.Variants) != want[w.Letter] {
			t.Errorf("%s has %d variants instead of %d", w.Letter, len(w.Variants), want[w.Letter])
		}
		names := map[string]bool{}
		for _, v := range w.Variants {
			names[v.String()] = true
			rows := pageRows
			if w.Letter == "a" {
				rows = 1
			}
			if len(v.Rows) != rows {
				t.Errorf("%s, %s: %d rows instead of %d", w.Letter, v, len(v.Rows), rows)
			}
		}
		if len(names) != len(w.Variants) {
			t.Errorf("%s: %d variants have %d names", w.Letter, len(w.Variants), len(names))
		}
		if w.Letter == "d" && (w.Variants[0].Page != 150 || w.Variants[99].Page != 249) {
			t.Errorf("d reads the pages %d to %d, which are not those around row 5,000", w.Variants[0].Page, w.Variants[99].Page)
		}
	}
}

// altered is a server that shows the right rows, changed.
type altered func(rows []Row) []Row

func (altered) Name() string { return "altered" }

func (altered) Measure(context.Context, Work, load.Turn) (load.Result, error) {
	return load.Result{}, nil
}

func (a altered) Rows(_ context.Context, _ Work, v Variant) ([]Row, error) {
	var rows []Row
	for _, p := range v.Rows {
		rows = append(rows, Row{Post: p})
	}
	return a(rows), nil
}

func TestCheckRefusesEveryDifference(t *testing.T) {
	c := Make(100)
	for _, test := range []struct {
		name  string
		alter altered
		fault string
	}{
		{"the same", func(rows []Row) []Row { return rows }, ""},
		{"the same instant in another zone", func(rows []Row) []Row {
			rows[3].PublishedOn = rows[3].PublishedOn.In(time.FixedZone("", 3600))
			return rows
		}, ""},
		{"another order", func(rows []Row) []Row { rows[1], rows[2] = rows[2], rows[1]; return rows }, "row 2 is "},
		{"a row too few", func(rows []Row) []Row { return rows[1:] }, "24 rows instead of 25"},
		{"another value", func(rows []Row) []Row { rows[4].Rating += 0.1; return rows }, "row 5 is "},
		{"another author", func(rows []Row) []Row { rows[4].Author = "nobody"; return rows }, "row 5 is "},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := Check(t.Context(), test.alter, c, c.Work()[1])
			if test.fault == "" && err != nil {
				t.Error(err)
			}
			if test.fault != "" && (err == nil || !strings.Contains(err.Error(), "altered: b (first 25 by newest date), page 1: "+test.fault)) {
				t.Errorf("error %v", err)
			}
		})
	}
	included := c.Work()[5]
	if err := Check(t.Context(), altered(func(rows []Row) []Row { return rows }), c, included); err == nil || !strings.Contains(err.Error(), "has the author") {
		t.Errorf("rows without their authors: error %v", err)
	}
}

func TestPostgresDoesTheWork(t *testing.T) {
	c := Make(300)
	p, err := LoadPostgres(t.Context(), localtest.Postgres(t), 1, c)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close(context.Background())
	for _, s := range []Server{p.Keyset(), p.Offset()} {
		for _, w := range c.Work() {
			if len(w.Variants) == 0 {
				t.Errorf("%s has no variants", w.Letter)
			}
			if err := Check(t.Context(), s, c, w); err != nil {
				t.Error(err)
			}
		}
	}
}
