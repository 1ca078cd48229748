package dsl

import (
	"context"
	"errors"
	"fmt"
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

// inAChild are the kinds of files that this process may not survive. Others are evaluated here.
var inAChild = []string{"loop", "memory", "native", "recursion", "wide"}

// atFullLength are files of which one of a kind gets all of MaxTime and MaxMemory. Others get less, to be done sooner.
var atFullLength = []string{"loop_while.ts", "memory_push.ts", "native_reverse.js"}

// TestHostileFilesEndInAClearErrorInBoundedTimeAndMemory loads every file of testdata/hostile alone.
func TestHostileFilesEndInAClearErrorInBoundedTimeAndMemory(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/hostile/*")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 100 {
		t.Fatalf("there are %d hostile files, want 100 at least", len(files))
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := hostileHead.FindStringSubmatch(string(text))
			if want == nil {
				t.Fatal("its first line does not say what is to come of it")
			}
			kind, _, _ := strings.Cut(name, "_")
			if !slices.Contains(inAChild, kind) {
				_, err := loadHere(t, folderOf(t, map[string]string{name: string(text)}), Options{})
				if fault := unlike(issuesOf(t, err)[0], want); fault != "" {
					t.Error(fault)
				}
				return
			}
			opts := Options{Time: MaxTime, Memory: MaxMemory}
			if strings.Contains(want[1], string(CodeTimeLimit)) && !slices.Contains(atFullLength, name) {
				opts = Options{Time: 500 * time.Millisecond, Memory: MaxMemory / 4}
			}
			for ; ; opts.Time *= 2 {
				fault := unlike(loadHostile(t, name, string(text), opts)[0], want)
				if fault == "" {
					return
				}
				if opts.Time >= MaxTime { // a child that is short of processor time comes to nothing in less
					t.Fatal(fault)
				}
			}
		})
	}
}

// unlike says how an issue differs from what the head of a file says, "" where it does not.
func unlike(got Issue, want []string) string {
	if !slices.Contains(strings.Split(want[1], "|"), string(got.Code)) || !strings.Contains(got.Message, want[4]) {
		return fmt.Sprintf("it ends in %s: %s\nwant %s: … %s …", got.Code, got, want[1], want[4])
	}
	if at := fmt.Sprintf("%d:%d", got.Line, got.Column); want[2] != "" && at != want[2]+":"+want[3] {
		return fmt.Sprintf("the error is said to be at %s, want %s:%s", at, want[2], want[3])
	}
	return ""
}

// TestTextNestedTooDeepEndsInAClearError is about compilers and engines that call themselves for what is nested.
func TestTextNestedTooDeepEndsInAClearError(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	text := "export default " + strconv.Quote(strings.Repeat("x", 10<<20)) + ";\n"
	got := loadHostile(t, "big.ts", text, Options{})
	if len(got) != 1 || got[0].Code != CodeTooLarge || got[0].File != "big.ts" || !strings.Contains(got[0].Message, "1048576 bytes") {
		t.Errorf("it ends in %v", got)
	}
}

// loadHostile loads a folder of one file in a child, checks its memory, and returns what is wrong with the file.
func loadHostile(t *testing.T, name, text string, opts Options) []Issue {
	t.Helper()
	var state *os.ProcessState
	_, err := load(t.Context(), folderOf(t, map[string]string{name: text}), opts, func(ctx context.Context, r request, b budget) (found answer, err error) {
		found, state, err = evaluate(ctx, r, b)
		return found, err
	})
	if state != nil && !underRace {
		usage, ok := state.SysUsage().(*syscall.Rusage)
		if !ok || usage.Maxrss<<10 > MaxMemory {
			t.Errorf("the child had %v KB of memory", usage.Maxrss)
		}
	}
	return issuesOf(t, err)
}

// issuesOf returns what is wrong with a folder of one hostile file, never nothing.
func issuesOf(t *testing.T, err error) []Issue {
	t.Helper()
	var refused *Error
	switch {
	case errors.Is(err, ErrNoCollections):
		return []Issue{{Code: "empty", Message: err.Error()}}
	case !errors.As(err, &refused):
		t.Fatalf("it ends in %v", err)
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
