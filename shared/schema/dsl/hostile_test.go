package dsl

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/grafana/sobek"
)

// hostileHead is the first line of a hostile file: the codes that may come of it, where, and a part of the message. The
// code "empty" is a file that does its worst in vain and exports nothing.
var hostileHead = regexp.MustCompile(`^//! (\S+) (?:@(\d+):(\d+) )?(.+)\n`)

// TestHostileFilesEndInAClearError loads every file of testdata/hostile alone, one after the other, for the
// memory is that of the whole program. What takes all of the time or memory gets less than usual.
func TestHostileFilesEndInAClearError(t *testing.T) {
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
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := hostileHead.FindStringSubmatch(string(text))
			if want == nil {
				t.Fatal("its first line does not say what is to come of it")
			}
			l := limits{MaxTime, MaxMemory}
			if strings.HasPrefix(name, "memory_") {
				l = limits{time.Minute, 32 << 20}
			} else if strings.Contains(want[1], string(CodeTimeLimit)) {
				l.time = 300 * time.Millisecond
			}
			_, err = load(t.Context(), folderOf(t, map[string]string{name: string(text)}), Options{}, l)
			if fault := unlike(issuesOf(t, err)[0], want); fault != "" {
				t.Error(fault)
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

// TestAFileOfTenMegabytesIsRefused shows that such a file is not even read.
func TestAFileOfTenMegabytesIsRefused(t *testing.T) {
	t.Parallel()
	text := "export default " + strconv.Quote(strings.Repeat("x", 10<<20)) + ";\n"
	_, err := Load(t.Context(), folderOf(t, map[string]string{"big.ts": text}), Options{})
	got := issuesOf(t, err)
	if len(got) != 1 || got[0].Code != CodeTooLarge || got[0].File != "big.ts" || !strings.Contains(got[0].Message, "1048576 bytes") {
		t.Errorf("it ends in %v", got)
	}
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

// TestALimitThatIsExceededWhileExportsAreReadIsNamed: the getters of exports are read outside of any function of a file.
func TestALimitThatIsExceededWhileExportsAreReadIsNamed(t *testing.T) {
	b, _, _, err := bundleFiles([]source{{"a.ts", `export default "text";`}})
	if err != nil {
		t.Fatal(err)
	}
	e, err := newEngine(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.start(b); err != nil {
		t.Fatal(err)
	}
	c := &collector{engine: e, answer: &answer{}, limits: limits{MaxTime, MaxMemory}, seen: map[*sobek.Object]bool{}}
	c.file("a.ts", func(this sobek.Value, args ...sobek.Value) (sobek.Value, error) {
		defer e.vm.Interrupt(CodeTimeLimit)
		return e.loaders[0](this, args...)
	})
	if len(c.issues) != 1 || c.issues[0].Code != CodeTimeLimit || !c.stopped {
		t.Errorf("it ends in %v, stopped: %v", c.issues, c.stopped)
	}
}
