package dsl

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hostileHead is the first line of a hostile file: the codes that may come of it, where, and a part of the message. The
// code "empty" is a file that does its worst in vain and exports nothing.
var hostileHead = regexp.MustCompile(`^//! (\S+) (?:@(\d+):(\d+) )?(.+)\n`)

// atFullLength are files that get the whole of MaxTime; others whose end is the time limit get less, to be done sooner.
var atFullLength = []string{"loop_while.ts", "loop_option_getter.ts", "native_regex_backtracking.ts", "native_reverse.js"}

// TestHostileFilesEndInAClearErrorInBoundedTimeAndMemory loads every file of testdata/hostile alone.
func TestHostileFilesEndInAClearErrorInBoundedTimeAndMemory(t *testing.T) {
	files, err := filepath.Glob("testdata/hostile/*")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 100 {
		t.Fatalf("there are %d hostile files, want 100 at least", len(files))
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := hostileHead.FindStringSubmatch(string(text))
			if want == nil {
				t.Fatal("its first line does not say what is to come of it")
			}
			var opts Options
			if strings.HasPrefix(want[1], "time_limit") && !slices.Contains(atFullLength, filepath.Base(file)) {
				opts.Time = time.Second
			}
			codes := strings.Split(want[1], "|")
			got := loadHostile(t, filepath.Base(file), string(text), opts)[0]
			// On a busy machine a child may have had no time to come to what is wrong.
			for range 5 {
				if got.Code != CodeTimeLimit || slices.Contains(codes, string(CodeTimeLimit)) {
					break
				}
				got = loadHostile(t, filepath.Base(file), string(text), opts)[0]
			}
			if !slices.Contains(codes, string(got.Code)) || !strings.Contains(got.Message, want[4]) {
				t.Errorf("it ends in %s: %s\nwant %s: … %s …", got.Code, got, want[1], want[4])
			}
			if at := strconv.Itoa(got.Line) + ":" + strconv.Itoa(got.Column); want[2] != "" && at != want[2]+":"+want[3] {
				t.Errorf("the error is said to be at %s, want %s:%s", at, want[2], want[3])
			}
		})
	}
}

// TestTextNestedTooDeepEndsInAClearError is about compilers and engines that call themselves for what is nested.
func TestTextNestedTooDeepEndsInAClearError(t *testing.T) {
	const deep = 100_000
	around := func(open, close string) string { return strings.Repeat(open, deep) + "1" + strings.Repeat(close, deep) }
	for name, text := range map[string]string{
		"parentheses": "export default " + around("(", ")") + ";\n",
		"brackets":    "export default " + around("[", "]") + ";\n",
		"unclosed":    "export default " + strings.Repeat("{a:", deep) + "\n",
		"not":         "export default " + around("!", "") + ";\n",
		"arrows":      "export const x = " + around("a=>", "") + ";\n",
		"ternary":     "export const x = " + around("1?", ":1") + ";\n",
		"templates":   "export const x = " + around("`${", "}`") + ";\n",
		"conditions":  strings.Repeat("if(1)", deep) + ";\n",
		"members":     "const x: any = {};\nexport default x" + strings.Repeat(".a", deep) + ";\n",
		"calls":       "const x: any = () => x;\nexport default x" + strings.Repeat("()", deep) + ";\n",
		"types":       "type T = " + around("Array<", ">") + ";\nexport default 1;\n",
		"sum":         "export default 1" + strings.Repeat("+1", deep) + ";\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := loadHostile(t, "deep.ts", text, Options{})[0]
			if got.File != "deep.ts" || got.Message == "" || got.Code == CodeCrash {
				t.Errorf("it ends in %s: %s", got.Code, got)
			}
		})
	}
}

// TestAFileOfTenMegabytesIsRefused shows that such a file is not even read.
func TestAFileOfTenMegabytesIsRefused(t *testing.T) {
	text := "export default " + strconv.Quote(strings.Repeat("x", 10<<20)) + ";\n"
	got := loadHostile(t, "big.ts", text, Options{})
	if len(got) != 1 || got[0].Code != CodeTooLarge || got[0].File != "big.ts" || !strings.Contains(got[0].Message, "1048576 bytes") {
		t.Errorf("it ends in %v", got)
	}
}

// loadHostile loads a folder of one file, checks the limits, and returns what is wrong with it, never nothing.
func loadHostile(t *testing.T, name, text string, opts Options) []Issue {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	started := time.Now()
	set, state, err := load(t.Context(), dir, opts)
	// The rest is for a machine that has other things to do: the child is ended before MaxTime, and reaped then.
	if took := time.Since(started); took > MaxTime+25*time.Second {
		t.Errorf("it takes %s", took)
	}
	if state != nil && !underRace {
		usage, ok := state.SysUsage().(*syscall.Rusage)
		if !ok || usage.Maxrss<<10 > MaxMemory {
			t.Errorf("the child had %v KB of memory", usage.Maxrss)
		}
	}
	var refused *Error
	switch {
	case errors.Is(err, ErrNoCollections):
		return []Issue{{Code: "empty", Message: err.Error()}}
	case !errors.As(err, &refused):
		t.Fatalf("it ends in %v and declares %d collections", err, len(set.Collections))
	}
	if len(refused.Issues) == 0 || len(refused.Issues) > maxIssues+1 {
		t.Fatalf("the error has %d issues", len(refused.Issues))
	}
	for _, issue := range refused.Issues {
		if issue.Message == "" || issue.Code == "" || strings.ContainsAny(issue.String(), "\n\r") {
			t.Errorf("this issue is none: %#v", issue)
		}
	}
	return refused.Issues
}
