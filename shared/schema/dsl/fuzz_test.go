package dsl

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// FuzzAnswer reads what a child might say: no bytes may break the parent.
func FuzzAnswer(f *testing.F) {
	for _, said := range []string{
		`{"doing":"a.ts"}` + "\n" + `{"answer":{"found":[{"file":"a.ts","export":"default","json":{"name":"a","fields":{"t":{"type":"text"}}},"marks":[{"path":"","file":"a.ts","line":1,"column":2},{"path":"fields.t","file":"b.ts","line":-1,"column":0}]}]}}`,
		`{"answer":{"issues":[{"file":"a.ts","line":3,"column":1,"path":"x","code":"value","message":"is wrong"}],"warnings":[{"code":"syntax","message":"odd"}]}}`,
		`{"answer":{"found":[{"file":"","export":"","json":{"name":1}},{"file":"","export":"","json":[]},{"file":"","export":"","json":null},{"file":"b","export":"x"}]}}`,
		`{"answer":{"found":[{"json":{"name":"a","fields":{"r":{"type":"reference","to":"b"}}}},{"json":{"name":"a","fields":{}}}]}}`,
		`{"doing":"a.ts"}{"doing":`, `{"answer":null}`, `{"answer":{"issues":[{}]}}`, `{"answer":{"found":{}}}`, `[]`, ``, "\x00",
	} {
		f.Add([]byte(said))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		_, a, err := readRecords(bytes.NewReader(said))
		if err != nil || a == nil {
			return
		}
		set, issues := declare(*a, nil, false, false)
		if err := refuse(issues); err != nil && err.Error() == "" {
			t.Error("an error without a word")
		}
		for _, c := range set.Collections {
			if c.Collection == nil {
				t.Error("a collection that is none")
			}
		}
	})
}

// FuzzFile bundles and evaluates text as a schema file, in this process and for a moment: whatever it says, it ends in
// collections or in issues about it.
func FuzzFile(f *testing.F) {
	files, err := filepath.Glob("testdata/hostile/*.ts")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		kind, _, _ := strings.Cut(filepath.Base(file), "_")
		switch kind {
		case "loop", "native", "memory", "recursion", "wide": // only a child is safe with those
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(notes("a"))
	f.Add("0%\r\rA") // what ends lines for JavaScript, as for editors
	ends := regexp.MustCompile(`\r\n|[\n\r\x{2028}\x{2029}]`)
	f.Fuzz(func(t *testing.T, text string) {
		const tooMuch = 2000
		if len(text) > tooMuch || strings.ContainsAny(text, "*") || strings.Contains(text, "e9") {
			return // no great powers and lengths here
		}
		// The watchdog of this process ends nothing; the timer asks the engine to stop.
		w := &watchdog{budget: budget{time.Hour, math.MaxInt64}, started: time.Now()}
		timer := time.AfterFunc(100*time.Millisecond, func() { w.exceed(CodeTimeLimit) })
		defer timer.Stop()
		text = strings.ToValidUTF8(text, "?")
		a, err := evaluateFiles(request{Files: []source{{"a.ts", text}}}, Options{}.budget(), w, func(string) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		_, issues := declare(a, nil, false, false)
		for _, issue := range issues {
			if issue.Code == "" || issue.Message == "" || issue.Code == CodeCrash {
				t.Errorf("the issue is %s: %s", issue.Code, issue)
			}
			if lines := 1 + len(ends.FindAllString(text, -1)); issue.File != "a.ts" && issue.Code != CodeTimeLimit || issue.Line > lines+1 {
				t.Errorf("the issue is at %s, of %d lines", issue.Place(), lines)
			}
		}
	})
}
