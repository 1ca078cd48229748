package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"svc/shared/telemetry"
)

// manual is the page for operators, by the headings of its sections.
type manual map[string]string

func operations(t *testing.T) manual {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "deploy", "OPERATIONS.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := manual{}
	section, part := "", ""
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "## "):
			section, part = strings.TrimSpace(line[3:]), ""
		case strings.HasPrefix(line, "### "):
			part = "/" + strings.TrimSpace(line[4:])
		}
		m[section+part] += line
		if part != "" {
			m[section] += line
		}
	}
	return m
}

// all returns what a pattern finds in a section, once each.
func (m manual) all(section, pattern string) []string {
	found := map[string]bool{}
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(m[section], -1) {
		found[match[1]] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// TestEveryAlarmIsDocumented: each kind has its paragraph under the program that raises it, and no paragraph is about a kind
// that does not exist.
func TestEveryAlarmIsDocumented(t *testing.T) {
	page := operations(t)
	for section, kinds := range map[string][]telemetry.AlarmKind{
		"Alarms/Of a core": telemetry.CoreAlarms(), "Alarms/Of an edge": telemetry.EdgeAlarms(),
	} {
		var want []string
		for _, k := range kinds {
			want = append(want, string(k))
		}
		slices.Sort(want)
		if got := page.all(section, "(?m)^\\*\\*`([a-z_]+)`\\*\\*"); !slices.Equal(got, want) {
			t.Errorf("%s is about %v instead of %v", section, got, want)
		}
	}
}

// TestEveryMetricIsDocumented, and no other name.
func TestEveryMetricIsDocumented(t *testing.T) {
	want := map[string]bool{}
	eachProductFile(t, func(_ string, file *ast.File) {
		if !imports(file, "github.com/prometheus/client_golang/prometheus") {
			return
		}
		for _, text := range texts(file) {
			if regexp.MustCompile(`^svc_[a-z_]+$`).MatchString(text) {
				want[text] = true
			}
		}
	})
	compare(t, "metric", operations(t).all("Metrics", "`(svc_[a-z_]+)"), want)
}

// TestEveryVariableIsDocumented that the programs and the command line read, and no other.
func TestEveryVariableIsDocumented(t *testing.T) {
	want := map[string]bool{}
	names := regexp.MustCompile(`^SVC_[A-Z0-9_]+$`)
	eachProductFile(t, func(name string, file *ast.File) {
		for _, tag := range tags(file) {
			if variable, _, _ := strings.Cut(tag.Get("env"), ","); names.MatchString(variable) {
				want[variable] = true
			}
		}
		if strings.HasPrefix(name, "core/cli/") {
			for _, text := range texts(file) {
				if names.MatchString(text) {
					want[text] = true
				}
			}
		}
	})
	compare(t, "variable", operations(t).all("Configuration", "`(SVC_[A-Z0-9_]+)`"), want)
}

// TestEveryDefaultIsDocumented as the programs have it.
func TestEveryDefaultIsDocumented(t *testing.T) {
	documented := map[string]string{}
	row := regexp.MustCompile("(?m)^\\| (`SVC_[^|]+) \\| ([^|]+) \\|")
	for _, match := range row.FindAllStringSubmatch(operations(t)["Configuration"], -1) {
		variables, values := strings.Split(match[1], ", "), strings.Split(match[2], ", ")
		for i, variable := range variables {
			documented[strings.Trim(variable, "`")] = values[min(i, len(values)-1)]
		}
	}
	eachProductFile(t, func(_ string, file *ast.File) {
		for _, tag := range tags(file) {
			variable, options, _ := strings.Cut(tag.Get("env"), ",")
			is, ok := tag.Lookup("envDefault")
			if variable == "" || variable == "-" || strings.Contains(options, "notEmpty") {
				continue
			}
			if !ok {
				is = "–"
			}
			if documented[variable] != is {
				t.Errorf("the default of %s is %s; documented is %q", variable, is, documented[variable])
			}
		}
	})
}

// TestEveryCommandIsDocumented, of core and edge.
func TestEveryCommandIsDocumented(t *testing.T) {
	page := operations(t)
	for program, folder := range map[string]string{"core": "core/command", "edge": "edge"} {
		want := map[string]bool{}
		eachProductFile(t, func(name string, file *ast.File) {
			if filepath.Dir(name) != folder {
				return
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if pair, ok := n.(*ast.KeyValueExpr); ok && fmt.Sprint(pair.Key) == "Use" {
					if use, ok := pair.Value.(*ast.BasicLit); ok {
						words := strings.Fields(strings.Trim(use.Value, `"`))
						want[words[0]] = words[0] != program
					}
				}
				return true
			})
		})
		delete(want, program)
		compare(t, "command of "+program, page.all("Commands", "(?m)^\\| `"+program+" ([a-z]+)"), want)
	}
}

func compare(t *testing.T, what string, documented []string, want map[string]bool) {
	t.Helper()
	if len(want) == 0 {
		t.Fatalf("no %s was found", what)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !slices.Contains(documented, name) {
			t.Errorf("the %s %s is not documented", what, name)
		}
	}
	for _, name := range documented {
		if !want[name] {
			t.Errorf("a %s %s is documented, but does not exist", what, name)
		}
	}
}

// eachProductFile calls look with every Go file of the product that is no test.
func eachProductFile(t *testing.T, look func(name string, file *ast.File)) {
	t.Helper()
	dir := root(t)
	for _, path := range tracked(t) {
		name, err := filepath.Rel(dir, path)
		if err != nil {
			t.Fatal(err)
		}
		folder, _, _ := strings.Cut(filepath.ToSlash(name), "/")
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
			!slices.Contains([]string{"core", "edge", "replication", "shared"}, folder) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		look(filepath.ToSlash(name), file)
	}
}

func imports(file *ast.File, path string) bool {
	return slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == strconv.Quote(path) })
}

// texts are the string literals of a file.
func texts(file *ast.File) (all []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				all = append(all, text)
			}
		}
		return true
	})
	return all
}

// tags are the tags of the fields in a file.
func tags(file *ast.File) (all []reflect.StructTag) {
	ast.Inspect(file, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok && field.Tag != nil {
			if text, err := strconv.Unquote(field.Tag.Value); err == nil {
				all = append(all, reflect.StructTag(text))
			}
		}
		return true
	})
	return all
}
