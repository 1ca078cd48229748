package lint

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const module = "svc/"

// listed is what `go list` tells about a package.
type listed struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
	GoFiles      []string
}

func (l listed) name() string { return strings.TrimPrefix(l.ImportPath, module) }

// list runs `go list` on the whole module.
func list(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports,GoFiles", module+"...")
	cmd.Dir = root(t)
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for values := jsontext.NewDecoder(bytes.NewReader(printed)); ; {
		var one listed
		if err := json.UnmarshalDecode(values, &one); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("output of go list: %v", err)
		}
		all = append(all, one)
	}
}

func arrows(t *testing.T) *Table {
	t.Helper()
	file, err := os.Open("arrows.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	table, err := ParseTable(file)
	if err != nil {
		t.Fatalf("arrows.txt: %v", err)
	}
	return table
}

func TestPackagesImportOnlyWhatTheTableAllows(t *testing.T) {
	table := arrows(t)
	for _, pkg := range list(t) {
		for _, imported := range pkg.Imports {
			check(t, table, pkg.name(), imported)
		}
	}
}

func TestTestsImportOnlyWhatTheTableAllows(t *testing.T) {
	table := arrows(t)
	for _, pkg := range list(t) {
		for _, imported := range slices.Concat(pkg.TestImports, pkg.XTestImports) {
			name, inside := strings.CutPrefix(imported, module)
			if inside && !forTests(pkg.name(), name) {
				check(t, table, pkg.name(), imported)
			}
		}
	}
}

// forTests tells what every test may import.
func forTests(pkg, imported string) bool {
	tree, _, _ := strings.Cut(pkg, "/")
	return anyMatches([]string{tree + "/...", "replication/...", "shared/...", "deploy/local/localtest", "deploy/local/link"}, imported)
}

func check(t *testing.T, table *Table, pkg, imported string) {
	t.Helper()
	name, inside := strings.CutPrefix(imported, module)
	if !inside {
		if !table.MayUse(pkg, imported) {
			t.Errorf("%s imports %s, which deploy/lint/arrows.txt leaves to others", pkg, imported)
		}
		return
	}
	allowed, err := table.MayImport(pkg, name)
	if err != nil {
		t.Error(err)
	} else if !allowed {
		t.Errorf("%s imports %s, which deploy/lint/arrows.txt does not allow", pkg, name)
	}
}

func TestEveryPackageOfTheTableExists(t *testing.T) {
	var names []string
	for _, pkg := range list(t) {
		names = append(names, pkg.name())
	}
	for pattern := range arrows(t).packages {
		if !slices.ContainsFunc(names, func(name string) bool { return matches(pattern, name) }) {
			t.Errorf("deploy/lint/arrows.txt lists %s, which does not exist", pattern)
		}
	}
}

func TestPackagesAreNamedByWhatTheyOwn(t *testing.T) {
	empty := []string{"util", "utils", "common", "helpers", "types", "models", "manager", "misc", "base"}
	for _, pkg := range list(t) {
		if slices.Contains(empty, path.Base(pkg.name())) {
			t.Errorf("package %s: the name does not say what it owns", pkg.name())
		}
	}
}

// The client is one static binary: it must neither need cgo nor drag in what does.
func TestTheClientNeedsNoCgo(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}{{if .CgoFiles}} cgo{{end}}", "./core/cmd/svc")
	cmd.Dir = root(t)
	printed, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, printed)
	}
	for line := range strings.Lines(string(printed)) {
		name, cgo := strings.CutSuffix(strings.TrimSpace(line), " cgo")
		if name == module+"shared/imaging" {
			t.Error("core/cmd/svc reaches shared/imaging")
		}
		// The standard library does without cgo when it is off.
		if cgo && strings.Contains(name, ".") {
			t.Errorf("core/cmd/svc reaches %s, which needs cgo", name)
		}
	}
	build := exec.Command("go", "build", "-o", os.DevNull, "./core/cmd/svc")
	build.Dir, build.Env = root(t), append(os.Environ(), "CGO_ENABLED=0")
	if printed, err := build.CombinedOutput(); err != nil {
		t.Errorf("core/cmd/svc without cgo: %v\n%s", err, printed)
	}
}

// root is the directory of the module.
func root(t *testing.T) string {
	t.Helper()
	printed, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Fatalf("find the module: %v", err)
	}
	return strings.TrimSpace(string(printed))
}
