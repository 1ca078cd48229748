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

// declare makes a set of what files export, and tells what is wrong with it. Whether references lead somewhere is not
// known where files are unread. Where one could not be evaluated, any name that its text holds may be that of a collection.
func declare(a answer, sources []source, deployed, unread bool) (Set, []Issue) {
	set := Set{Warnings: a.warnings}
	issues, byName := a.issues, map[string]int{}
	parse, nameless := schema.ParseProposed, false
	if deployed {
		parse = schema.Parse
	}
	for _, d := range a.found {
		c, err := parse(d.json)
		if err != nil {
			issues = append(issues, d.issues(err)...)
		}
		if c == nil {
			c = &schema.Collection{Name: nameOf(d.json)}
			nameless = nameless || c.Name == ""
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
	if !deployed && !unread && !nameless {
		issues = append(issues, set.checkTargets(a.unevaluated(sources))...)
	}
	slices.SortFunc(set.Collections, func(a, b Declared) int { return strings.Compare(a.Name, b.Name) })
	return set, issues
}

func replaced(loser, winner Declared) Issue {
	return Issue{
		File: loser.File, Line: loser.Line, Column: loser.Column, Code: CodeReplaced,
		Message: fmt.Sprintf("the collection %s is declared again at %s: that one counts, and this one is ignored",
			schema.Quote(winner.Name), Issue{File: winner.File, Line: winner.Line, Column: winner.Column}.Place()),
	}
}

// unevaluated are the words in the files of which nobody knows what they would declare.
func (a answer) unevaluated(sources []source) map[string]bool {
	words, evaluated := map[string]bool{}, map[string]bool{}
	if len(a.issues) == 0 {
		return words
	}
	for _, d := range a.found {
		evaluated[d.File] = true
	}
	for _, s := range sources {
		if evaluated[s.path] {
			continue
		}
		for word := range strings.FieldsFuncSeq(s.text, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_')
		}) {
			words[word] = true
		}
	}
	return words
}

// checkTargets checks what only the whole set can tell: that references lead to a collection, if only to one that a
// file may declare which could not be evaluated.
func (s Set) checkTargets(unevaluated map[string]bool) []Issue {
	values := make([]jsontext.Value, len(s.Collections))
	for i, c := range s.Collections {
		values[i] = c.json
	}
	var issues []Issue
	for _, item := range schema.UnknownTargets(values, unevaluated) {
		if issue, ok := s.Locate(item.Path); ok {
			issue.Code, issue.Message = Code(item.Code), item.Message
			issues = append(issues, issue)
		}
	}
	return issues
}

// issues locates the faults of a collection, but for those that follow from a value which no JSON can hold and which
// was told of already.
func (d Declared) issues(err error) []Issue {
	refused := fault.As(err)
	if len(refused.Items) == 0 {
		return []Issue{{File: d.File, Line: d.Line, Column: d.Column, Code: CodeCrash, Message: refused.Error()}}
	}
	var issues []Issue
	for _, item := range refused.Items {
		told := slices.ContainsFunc(d.failed, func(path string) bool {
			return contains(path, item.Path) || path == "fields" && schema.Code(item.Code) == schema.CodeUnknownField
		})
		if told {
			continue
		}
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
