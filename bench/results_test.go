package bench

import (
	"bytes"
	"context"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/bench/node"
)

func TestATargetIsTheMostOrTheLeast(t *testing.T) {
	for _, c := range []struct {
		row     Row
		reached bool
		share   float64
	}{
		{Row{Value: 1, Target: 2}, true, 0.5},
		{Row{Value: 2, Target: 2}, true, 1},
		{Row{Value: 3, Target: 2}, false, 1.5},
		{Row{Value: 1, Target: 2, AtLeast: true}, false, 2},
		{Row{Value: 2, Target: 2, AtLeast: true}, true, 1},
		{Row{Value: 4, Target: 2, AtLeast: true}, true, 0.5},
	} {
		if got := c.row.Reached(); got != c.reached {
			t.Errorf("%+v: reached %v", c.row, got)
		}
		if got := c.row.share(); got != c.share {
			t.Errorf("%+v: share %v", c.row, got)
		}
	}
}

func TestRowsStandInTheOrderOfTheTable(t *testing.T) {
	var r Report
	for i := len(tableRows) - 1; i >= 0; i -= 2 {
		r.addRow(tableRows[i].Work, 1, "")
	}
	for i := 0; i < len(tableRows); i += 2 {
		r.addRow(tableRows[i].Work, 1, "").inGets(30*time.Microsecond, 10*time.Microsecond)
	}
	for i, row := range tableRows {
		if r.Rows[i].Work != row.Work || r.Rows[i].Target != row.Target {
			t.Errorf("row %d is %q, not %q", i, r.Rows[i].Work, row.Work)
		}
	}
	if r.Rows[0].Gets != 3 {
		t.Errorf("%v Gets", r.Rows[0].Gets)
	}
}

func TestResultsOfSeveralRunsMakeOnePage(t *testing.T) {
	dir := t.TempDir()
	performance := &Report{Scenario: "table", About: "the table", Began: time.Unix(0, 0).UTC(), Machine: Machine{CPU: "A processor", Revision: "abc"}}
	performance.addRow(workCached, 0.5, "a | note")
	performance.addRow(workPages, 1.1, "").inGets(20, 10)
	history := &Report{Scenario: "lag", About: "lag", Failure: "it broke"}
	history.add("a figure", 3, Seconds).atMost(2)
	for _, r := range []*Report{history, performance} {
		if err := r.write(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := render(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, resultsPage))
	if err != nil {
		t.Fatal(err)
	}
	rest := string(text)
	for _, want := range []string{
		"## table: the table", "A processor", "commit abc", `| 0.50 x | ≥ 0.80 x | **no** |  | a \| note |`, "| 1.10 x | ≤ 1.20 x | yes | 2 |  |",
		"## lag: lag", "The run failed: it broke", "| a figure | 3.00 s | 2.00 s **over** |  |",
	} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("%q is not where it should be in\n%s", want, text)
		}
		rest = after
	}
	picture, err := os.ReadFile(filepath.Join(dir, resultsChart))
	if err != nil {
		t.Fatal(err)
	}
	if size, err := png.DecodeConfig(bytes.NewReader(picture)); err != nil || size.Width != chartWidth || size.Height != chartHead+3*chartLine {
		t.Errorf("%+v, %v", size, err)
	}
}

// What a run that fails says goes into the results, which must not tell where the machine has its files.
func TestFailuresNameNoPathOfTheMachine(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"open " + dir + "/docs.zst: no such file":                    "open docs.zst: no such file",
		"fork/exec " + dir + "/bin/edge: permission denied":          "fork/exec edge: permission denied",
		"SVC_BENCH_DATA=" + dir + "/x, " + dir + "/y":                "SVC_BENCH_DATA=x, y",
		"edge-1 /v1/projects/shop/collections/posts: status 503":     "edge-1 /v1/projects/shop/collections/posts: status 503",
		"Get \"http://127.0.0.1:7401/v1/tmp/x\": connection refused": "Get \"http://127.0.0.1:7401/v1/tmp/x\": connection refused",
		"2 of 3/4 and 120/s and/or nothing":                          "2 of 3/4 and 120/s and/or nothing",
	} {
		if got := withoutPaths(text); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
	c := Config{Out: filepath.Join(dir, "out"), Results: filepath.Join(dir, "results")}
	failing := scenario{name: "lag", about: "lag", stackless: true, run: func(context.Context, *Bench) error {
		_, err := os.Open(filepath.Join(dir, "missing"))
		return err
	}}
	if err := c.one(t.Context(), failing, io.Discard); err == nil {
		t.Fatal("the run did not fail")
	}
	text, err := os.ReadFile(filepath.Join(c.Results, "lag.json"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), dir) || !strings.Contains(string(text), "open missing: ") {
		t.Errorf("the results say %s", text)
	}
}

// Edges that are not settled keep a measurement waiting, and so do figures that are not shown.
func TestAnEdgeIsIdleOnceItDoesNothing(t *testing.T) {
	for _, c := range []struct {
		building, indexing, seconds float64 // the latter of a processor, in a second
		idle                        bool
	}{{0, 0, 0.05, true}, {1, 0, 0, false}, {0, 2, 0, false}, {0, 0, 0.5, false}} {
		before := map[string]float64{"process_cpu_seconds_total": 7}
		after := map[string]float64{
			"svc_store_building_projects": c.building, "svc_store_indexing_projects": c.indexing, "process_cpu_seconds_total": 7 + c.seconds,
		}
		if err := idle(before, after, time.Second); (err == nil) != c.idle {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if idle(nil, map[string]float64{"svc_store_building_projects": 0}, time.Second) == nil {
		t.Error("an edge that does not tell is idle")
	}
}

func TestSharesLieBetweenTheEndsOfTheScale(t *testing.T) {
	last := place(0)
	for _, share := range []float64{0.001, 0.01, 0.1, 1, 10, 1000} {
		at := place(share)
		if at < last || at < chartLabels || at > chartLabels+chartBars {
			t.Errorf("%v lies at %d, after %d", share, at, last)
		}
		last = at
	}
}

func TestAConstantAnswerHasTheSizeAndTheHeaders(t *testing.T) {
	answer := node.Answer{Status: 200, Body: []byte("abc"), Header: map[string][]string{"Etag": {`"x"`}, "Date": {"now"}, "Content-Length": {"3"}}}
	for size, want := range map[int]string{0: "", 2: "ab", 3: "abc", 7: "abcabca"} {
		got := constantOf(answer, size)
		if string(got.Body) != want || got.Status != 200 || len(got.Header) != 1 || got.Header.Get("Etag") != `"x"` {
			t.Errorf("%d bytes: %d %v %q", size, got.Status, got.Header, got.Body)
		}
	}
}
