package dsl

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/fault"
	"svc/shared/schema"
)

// declare makes a set of what files export, and tells what is wrong with it. Whether references lead somewhere is known
// where nothing else is wrong.
func declare(a answer, deployed bool) (Set, []Issue) {
	set := Set{Warnings: a.warnings}
	issues, byName := a.issues, map[string]int{}
	parse := schema.ParseProposed
	if deployed {
		parse = schema.Parse
	}
	for _, d := range a.found {
		var err error
		if d.Collection, err = parse(d.json); err != nil {
			issues = append(issues, d.issues(err)...)
			continue
		}
		set.warnOfSlashes(d, "fields", d.Fields...)
		if i, twice := byName[d.Name]; twice {
			set.Warnings = append(set.Warnings, replaced(set.Collections[i], d))
			set.Collections[i] = d
			continue
		}
		byName[d.Name] = len(set.Collections)
		set.Collections = append(set.Collections, d)
	}
	slices.SortFunc(set.Collections, func(a, b Declared) int { return strings.Compare(a.Name, b.Name) })
	if !deployed && len(issues) == 0 {
		issues = set.check()
	}
	return set, issues
}

// check checks what only the whole set can tell, as a push does: that references lead to a collection of it.
func (s Set) check() []Issue {
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
		issue, _ := s.Locate(item.Path)
		issue.Code, issue.Message = Code(item.Code), item.Message
		issues = append(issues, issue)
	}
	return issues
}

func replaced(loser, winner Declared) Issue {
	return Issue{
		File: loser.File, Line: loser.Line, Column: loser.Column, Code: CodeReplaced,
		Message: fmt.Sprintf("the collection %s is declared again at %s: that one counts, and this one is ignored",
			schema.Quote(winner.Name), Issue{File: winner.File, Line: winner.Line, Column: winner.Column}.Place()),
	}
}

// issues locates the faults of a collection.
func (d Declared) issues(err error) []Issue {
	refused := fault.As(err)
	if refused == nil {
		return []Issue{{File: d.File, Line: d.Line, Column: d.Column, Code: CodeCrash, Message: err.Error()}}
	}
	var issues []Issue
	for _, item := range refused.Items {
		issue := d.at(item.Path)
		issue.Code, issue.Message = Code(item.Code), item.Message
		if d.circular != "" && schema.Code(item.Code) == schema.CodeRequired {
			issue.Message += "; perhaps it is set, but " + d.circular
		}
		issues = append(issues, issue)
	}
	return issues
}

// at is the place of a part of the collection: of the nearest builder around it.
func (d Declared) at(path string) Issue {
	best := mark{place: place{d.File, d.Line, d.Column}}
	for _, m := range d.marks {
		if len(m.path) >= len(best.path) && contains(m.path, path) {
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

func setPath(i int) string { return "collections[" + strconv.Itoa(i) + "]" }

// slashed is a pattern that is written like one of JavaScript, such as "/^a$/i".
var slashed = regexp.MustCompile(`(?s)^/(.+)/[dguvy]*([ims]*)[dguvy]*$`)

// warnOfSlashes warns of patterns between slashes, which fit only texts that hold these slashes.
func (s *Set) warnOfSlashes(d Declared, path string, fields ...*schema.Field) {
	for _, f := range fields {
		at := join(path, f.Key)
		if found := slashed.FindStringSubmatch(f.Pattern); found != nil {
			pattern := found[1]
			if found[2] != "" {
				pattern = "(?" + found[2] + ")" + pattern
			}
			issue := d.at(join(at, "pattern"))
			issue.Code = Code(schema.CodePattern)
			issue.Message = fmt.Sprintf("is written between slashes, as in JavaScript, and fits only texts that hold these slashes; if that is not meant, write %s",
				schema.Quote(pattern))
			s.Warnings = append(s.Warnings, issue)
		}
		if f.Of != nil {
			item := *f.Of
			item.Key = "of"
			s.warnOfSlashes(d, at, &item)
		}
		s.warnOfSlashes(d, join(at, "fields"), f.Fields...)
		for i, b := range f.Blocks {
			s.warnOfSlashes(d, fmt.Sprintf("%s.allowed[%d].fields", at, i), b.Fields...)
		}
	}
}
