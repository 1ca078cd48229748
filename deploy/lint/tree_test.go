package lint

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// tracked lists the files of the tree, those not committed yet included, without the ignored ones.
func tracked(t *testing.T) []string {
	t.Helper()
	dir := root(t)
	cmd := exec.Command("git", "-c", "safe.directory="+dir, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = dir
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("list the files of the tree: %v", err)
	}
	var files []string
	for name := range strings.SplitSeq(strings.TrimRight(string(printed), "\x00"), "\x00") {
		files = append(files, filepath.Join(dir, name))
	}
	return files
}

// eachText calls look with every line of every text file. What fuzzing found is no text of ours.
func eachText(t *testing.T, look func(file string, number int, line []byte)) {
	t.Helper()
	dir := root(t)
	for _, file := range tracked(t) {
		if strings.Contains(file, "/testdata/fuzz/") {
			continue
		}
		content, err := os.ReadFile(file)
		if os.IsNotExist(err) {
			// Deleted, but not committed yet.
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(content) {
			continue
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			t.Fatal(err)
		}
		number := 0
		for line := range bytes.Lines(content) {
			number++
			look(name, number, line)
		}
	}
}

func TestNoFileNamesAPathOfOneMachine(t *testing.T) {
	// Put together so that this file does not match.
	paths := regexp.MustCompile(`(^|[^\w./-])(/` + `work/|/` + `root/|/` + `home/\w|/` + `Users/\w|/` + `tmp/\w)`)
	eachText(t, func(file string, number int, line []byte) {
		if found := paths.Find(line); found != nil {
			t.Errorf("%s:%d names a path of one machine: %s", file, number, bytes.TrimSpace(line))
		}
	})
}

func TestNothingIsLeftOver(t *testing.T) {
	markers := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK|WI` + `P)\b|^(<<<<` + `<<<|>>>>` + `>>>) `)
	eachText(t, func(file string, number int, line []byte) {
		if found := markers.Find(line); found != nil {
			t.Errorf("%s:%d has a left-over %s", file, number, found)
		}
	})
}

// PostgreSQL ends a session that waits for its program in a transaction, but not while that owes it the rows of a COPY: a
// core that hangs there would hold the lock of a project for as long as it hangs.
func TestCoreCopiesNoRows(t *testing.T) {
	copying := regexp.MustCompile(`\.CopyFrom\(|(?i)\bcopy\s.*\bfrom\s+stdin`)
	eachText(t, func(file string, number int, line []byte) {
		if strings.HasPrefix(file, "core/") && !strings.HasSuffix(file, "_test.go") && copying.Match(line) {
			t.Errorf("%s:%d writes rows by COPY; insert them from arrays: %s", file, number, bytes.TrimSpace(line))
		}
	})
}

// rapid and math/rand draw a new seed for every run, and testrand the same.
func TestRandomTestsDrawTheSameInEveryRun(t *testing.T) {
	drawing := regexp.MustCompile(`\brapid\.(Make)?Check\(|\brand\.(IntN|Int64N|N|Uint64|Perm|Shuffle)\(|seed.*time\.Now\(`)
	eachText(t, func(file string, number int, line []byte) {
		test := strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "shared/read/readtest/")
		if test && drawing.Match(line) {
			t.Errorf("%s:%d: draw from testrand: %s", file, number, bytes.TrimSpace(line))
		}
	})
}

func TestGeneratedFilesAreMarked(t *testing.T) {
	generated := regexp.MustCompile(`(\.pb|_gen|_string|\.generated)\.go$`)
	mark := regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	for _, file := range tracked(t) {
		if !generated.MatchString(file) {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !mark.Match(content) {
			t.Errorf("%s does not say that it is generated", file)
		}
	}
}
