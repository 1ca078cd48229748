package dsl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/fault"
	"svc/shared/schema"
)

// declare makes a set of what files export, and tells what is wrong with it. Whether references lead somewhere is only
// known where every file could be evaluated.
func declare(a answer, complete bool) (Set, []Issue) {
	set := Set{Warnings: a.Warnings}
	issues, byName := a.Issues, map[string]int{}
	complete = complete && len(issues) == 0
	for _, f := range a.Found {
		d := f.declared()
		c, err := schema.Parse(f.JSON)
		if err != nil {
			issues = append(issues, d.issues(err)...)
		}
		if c == nil {
			c = &schema.Collection{Name: nameOf(f.JSON)}
			complete = complete && c.Name != ""
		}
		for _, item := range c.PathItems() {
			issue := d.at(item.Path)
			issue.Code, issue.Message = Code(item.Code), item.Message+"; the service refuses to deploy this"
			set.Warnings = append(set.Warnings, issue)
		}
		d.Collection = c
		if i, twice := byName[c.Name]; twice {
			set.Warnings = append(set.Warnings, replaced(set.Collections[i], d))
			set.Collections[i] = d
			continue
		}
		byName[c.Name] = len(set.Collections)
		set.Collections = append(set.Collections, d)
	}
	if complete {
		issues = append(issues, set.checkTargets(a.Found)...)
	}
	slices.SortFunc(set.Collections, func(a, b Declared) int { return strings.Compare(a.Name, b.Name) })
	return set, issues
}

// declared is where a collection was found, before it is read.
func (f found) declared() Declared {
	d := Declared{File: f.File, marks: f.Marks, json: f.JSON}
	for _, m := range f.Marks {
		if m.Path == "" && m.File == f.File {
			d.Line, d.Column = m.Line, m.Column
		}
	}
	return d
}

func replaced(loser, winner Declared) Issue {
	return Issue{
		File: loser.File, Line: loser.Line, Column: loser.Column, Code: CodeReplaced,
		Message: fmt.Sprintf("the collection %s is declared again at %s: that one counts, and this one is ignored",
			schema.Quote(winner.Name), Issue{File: winner.File, Line: winner.Line, Column: winner.Column}.Place()),
	}
}

// checkTargets checks what only the whole set can tell: that references lead to a collection.
func (s Set) checkTargets([]found) []Issue {
	values := make([]jsontext.Value, len(s.Collections))
	for i, c := range s.Collections {
		values[i] = c.json
	}
	_, err := schema.ParseSet(values)
	if err == nil {
		return nil
	}
	var issues []Issue
	for _, item := range fault.As(err).Items {
		if schema.Code(item.Code) != schema.CodeUnknownTarget {
			continue // reported already
		}
		if issue, ok := s.Locate(item.Path); ok {
			issue.Code, issue.Message = Code(item.Code), item.Message
			if end := strings.LastIndex(item.Message, " (collection "); end >= 0 {
				issue.Message = item.Message[:end] // the place names it already
			}
			issues = append(issues, issue)
		}
	}
	return issues
}

// issues locates the faults of a collection.
func (d Declared) issues(err error) []Issue {
	f := fault.As(err)
	if len(f.Items) == 0 {
		return []Issue{{File: d.File, Line: d.Line, Column: d.Column, Code: CodeCrash, Message: f.Error()}}
	}
	var issues []Issue
	for _, item := range f.Items {
		issue := d.at(item.Path)
		issue.Code, issue.Message = Code(item.Code), item.Message
		issues = append(issues, issue)
	}
	return issues
}

// at is the place of a part of the collection: of the nearest builder around it.
func (d Declared) at(path string) Issue {
	best := mark{File: d.File, Line: d.Line, Column: d.Column}
	for _, m := range d.marks {
		if len(m.Path) >= len(best.Path) && contains(m.Path, path) {
			best = m
		}
	}
	return Issue{File: best.File, Line: best.Line, Column: best.Column, Path: path}
}

// contains reports whether the part at path is that at outer, or in it.
func contains(outer, path string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest == "" || outer == "" || rest[0] == '.' || rest[0] == '[')
}

// nameOf reads the name of a collection that has faults.
func nameOf(value jsontext.Value) string {
	var named struct {
		Name jsontext.Value `json:"name"`
	}
	if err := json.Unmarshal(value, &named); err != nil {
		return ""
	}
	text, err := jsontext.AppendUnquote(nil, named.Name)
	if err != nil {
		return ""
	}
	return string(text)
}

func setPath(i int) string { return "collections[" + strconv.Itoa(i) + "]" }
