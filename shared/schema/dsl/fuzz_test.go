package dsl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

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
		case "loop", "memory", "recursion", "wide": // they take all of the time
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
	f.Fuzz(func(t *testing.T, text string) {
		const tooMuch = 2000
		if len(text) > tooMuch || strings.ContainsAny(text, "*") || strings.Contains(text, "e9") {
			return // no great powers and lengths here
		}
		a, err := evaluate(t.Context(), []source{{"a.ts", strings.ToValidUTF8(text, "?")}}, limits{100 * time.Millisecond, MaxMemory})
		if err != nil {
			t.Fatal(err)
		}
		_, issues := declare(a, false)
		for _, issue := range issues {
			if issue.Code == "" || issue.Message == "" || issue.Code == CodeCrash {
				t.Errorf("the issue is %s: %s", issue.Code, issue)
			}
			if lines := 1 + len(lineEnd.FindAllString(text, -1)); issue.File != "a.ts" && issue.Code != CodeTimeLimit || issue.Line > lines+1 {
				t.Errorf("the issue is at %s, of %d lines", issue.Place(), lines)
			}
		}
	})
}
