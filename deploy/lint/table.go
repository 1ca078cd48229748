// Package lint checks rules of the whole tree that no other tool knows: who may import whom, and what must not be in a
// file. Its tests are the checks; arrows.txt holds the table of imports.
package lint

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Table says who may import whom. Packages are named by their path within the module.
type Table struct {
	// packages maps a package, or a pattern such as "deploy/...", to the patterns it may import directly.
	packages map[string][]string
	// modules maps the path of a module to the patterns of those who may import it.
	modules map[string][]string
}

// Everything allows a package to import whatever it wants to.
const Everything = "*"

// ParseTable reads the format of arrows.txt, which explains itself.
func ParseTable(in io.Reader) (*Table, error) {
	table := &Table{packages: map[string][]string{}, modules: map[string][]string{}}
	sections := map[string]map[string][]string{"[packages]": table.packages, "[modules]": table.modules}
	var section map[string][]string
	lines := bufio.NewScanner(in)
	for number := 1; lines.Scan(); number++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if next, found := sections[words[0]]; found {
			section = next
			continue
		}
		if section == nil {
			return nil, fmt.Errorf("line %d: %q comes before [packages] and [modules]", number, words[0])
		}
		if _, twice := section[words[0]]; twice {
			return nil, fmt.Errorf("line %d: %s is in the table twice", number, words[0])
		}
		section[words[0]] = words[1:]
	}
	return table, lines.Err()
}

// matches tells whether a pattern, "x" or "x/...", covers a path.
func matches(pattern, path string) bool {
	if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == tree || strings.HasPrefix(path, tree+"/")
	}
	return pattern == path
}

func anyMatches(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return matches(pattern, path) })
}

// entry finds the line of a package: its own, or that of a tree it is in.
func (t *Table) entry(pkg string) (name string, found bool) {
	if _, own := t.packages[pkg]; own {
		return pkg, true
	}
	for name := range t.packages {
		if matches(name, pkg) {
			return name, true
		}
	}
	return "", false
}

// Allowed returns the patterns of all that a package may import, directly or through others. A package that is not in
// the table is an error, and so is a line that leads in a circle.
func (t *Table) Allowed(pkg string) ([]string, error) {
	name, found := t.entry(pkg)
	if !found {
		return nil, fmt.Errorf("package %s is not in the table: add it to deploy/lint/arrows.txt with what it may import", pkg)
	}
	var allowed []string
	var walk func(name string, path []string) error
	walk = func(name string, path []string) error {
		if slices.Contains(path, name) {
			return fmt.Errorf("the table leads in a circle: %s", strings.Join(append(path, name), " → "))
		}
		for _, next := range t.packages[name] {
			allowed = append(allowed, next)
			// What an exempt package may import is not handed on to those that import it.
			if line, found := t.entry(next); found && slices.Contains(t.packages[line], Everything) {
				continue
			} else if found {
				if err := walk(line, append(slices.Clone(path), name)); err != nil {
					return err
				}
			} else if next != Everything && !strings.HasSuffix(next, "/...") {
				return fmt.Errorf("%s may import %s, which is not in the table itself", name, next)
			}
		}
		return nil
	}
	return allowed, walk(name, nil)
}

// MayImport tells whether a package may import another one of the module.
func (t *Table) MayImport(from, to string) (bool, error) {
	allowed, err := t.Allowed(from)
	return slices.Contains(allowed, Everything) || anyMatches(allowed, to), err
}

// MayUse tells whether a package may import a package of another module.
func (t *Table) MayUse(from, external string) bool {
	line, found := t.entry(from)
	if found && slices.Contains(t.packages[line], Everything) {
		return true
	}
	for module, users := range t.modules {
		if matches(module+"/...", external) {
			return anyMatches(users, from)
		}
	}
	return true
}
