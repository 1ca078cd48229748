package diff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"svc/core/diff"
	"svc/shared/content"
	"svc/shared/schema"
	"svc/shared/schema/schematest"
	"svc/shared/testrand"
	"svc/shared/value"
)

// site is a random schema in a project with locales or without, and draws entries of it in stored form.
type site struct {
	diff.Frame
	undeclared bool // entries may have members that the schema does not declare
	marks      *int // texts are numbered, so that each is different; nil: few texts are drawn from
}

func drawSite(t *rapid.T) site {
	var s site
	if rapid.Bool().Draw(t, "locales") {
		s.Locales = value.Locales{Codes: []string{"de", "en", "fr"}, Default: "en"}
	}
	c, err := schema.Parse([]byte(`{"name":"things","fields":{` + drawFields(t, 1) + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	s.Fields = c.Fields
	return s
}

// drawFields draws fields of every type, objects in objects up to the depth that schemas may have.
func drawFields(t *rapid.T, depth int) string {
	fields := make([]string, rapid.IntRange(1, 4).Draw(t, "fields"))
	for i := range fields {
		options := ""
		kinds := append(schema.FieldTypes(), schema.TypeObject, schema.TypeObject, schema.TypeObject, schema.TypeObject)
		kind := rapid.SampledFrom(kinds).Draw(t, "type")
		switch {
		case kind == schema.TypeSlug && (depth > 1 || i > 0), depth > schema.MaxNestingDepth && nests(kind):
			kind = schema.TypeText
		case kind == schema.TypeReference:
			options = `,"to":"things"`
		case kind == schema.TypeObject:
			options = `,"fields":{` + drawFields(t, depth+1) + `}`
		case kind == schema.TypeBlocks:
			options = `,"allowed":[{"key":"quote","fields":{` + drawFields(t, depth+1) + `}}]`
		case kind == schema.TypeList:
			of := rapid.SampledFrom([]string{`"text"`, `"number"`, `"json"`, `"reference","to":"things"`, `"object","fields":{"x":{"type":"text"}}`}).Draw(t, "of")
			options = `,"of":{"type":` + of + `}`
		}
		if multiple := kind == schema.TypeReference || kind == schema.TypeAsset; multiple && rapid.Bool().Draw(t, "multiple") {
			options += `,"multiple":true`
		}
		if depth == 1 && kind != schema.TypeSlug && rapid.Bool().Draw(t, "localized") {
			options += `,"localized":true`
		}
		fields[i] = fmt.Sprintf(`"%c":{"type":"%s"%s}`, 'z'-i, kind, options) // against the order of names
	}
	return strings.Join(fields, ",")
}

func nests(kind schema.FieldType) bool {
	return kind == schema.TypeObject || kind == schema.TypeBlocks || kind == schema.TypeList
}

// edit draws another state of an entry, in stored form.
func (s site) edit(t *rapid.T, entry jsontext.Value) jsontext.Value {
	return s.object(t, s.Fields, entry)
}

func (s site) object(t *rapid.T, fields schema.Fields, raw jsontext.Value) jsontext.Value {
	was := members(t, raw)
	var out []string
	add := func(name string, v jsontext.Value) {
		if v != nil {
			out = append(out, fmt.Sprintf("%q:%s", name, v))
		}
	}
	for _, f := range fields {
		add(f.Key, s.field(t, f, was[f.Key]))
	}
	for _, name := range []string{"~gone", "~x.y"} { // behind the keys of fields
		v := was[name]
		if s.undeclared && rapid.IntRange(0, 3).Draw(t, "undeclared") == 0 {
			v = rapid.SampledFrom([]jsontext.Value{nil, jsontext.Value(`1`), jsontext.Value(`{"a":{"b":1}}`)}).Draw(t, name)
		}
		add(name, v)
	}
	return jsontext.Value("{" + strings.Join(out, ",") + "}")
}

func members(t *rapid.T, raw jsontext.Value) map[string]jsontext.Value {
	all := map[string]jsontext.Value{}
	if raw == nil || raw.Kind() != '{' {
		return all
	}
	listed, err := value.Members(raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range listed {
		all[m.Name] = m.Value
	}
	return all
}

// field draws another value of a field.
func (s site) field(t *rapid.T, f *schema.Field, was jsontext.Value) jsontext.Value {
	if !f.Localized || s.Locales.None() {
		return s.value(t, f, was)
	}
	isMap, err := s.Locales.IsMap(f, was)
	if err != nil {
		t.Fatal(err)
	}
	plain := was != nil && !isMap
	if rapid.IntRange(0, 9).Draw(t, "plain or by locale") == 0 { // as values were before the project had locales, or became since
		plain, was = !plain, nil
	}
	if plain {
		v := s.value(t, f, was)
		if isMap, err := s.Locales.IsMap(f, v); err != nil || isMap {
			return nil // an empty object reads as an empty map
		}
		return v
	}
	texts := members(t, was)
	var out []string
	for _, code := range s.Locales.Codes {
		if v := s.value(t, f, texts[code]); v != nil {
			out = append(out, fmt.Sprintf("%q:%s", code, v))
		}
	}
	if len(out) == 0 {
		return nil
	}
	return jsontext.Value("{" + strings.Join(out, ",") + "}")
}

// value draws another value, in one locale.
func (s site) value(t *rapid.T, f *schema.Field, was jsontext.Value) jsontext.Value {
	switch act := rapid.IntRange(0, 6).Draw(t, "keep, clear or change"); {
	case act < 3:
		return was
	case act == 3:
		return nil
	case f.Type == schema.TypeObject && was != nil:
		return s.object(t, f.Fields, was)
	}
	// Few values, so that two edits often agree, none of them equal to another in another notation.
	switch f.Type {
	case schema.TypeObject:
		return s.object(t, f.Fields, nil)
	case schema.TypeList:
		if s.marks != nil && f.Of.Type == schema.TypeObject {
			return jsontext.Value("[" + string(s.object(t, f.Of.Fields, nil)) + "]")
		}
	case schema.TypeBlocks:
		if s.marks != nil {
			return jsontext.Value(`[{"type":"quote","fields":` + string(s.object(t, f.Blocks[0].Fields, nil)) + `}]`)
		}
	case schema.TypeText, schema.TypeMarkdown:
		if s.marks != nil {
			return s.marked()
		}
		return rapid.SampledFrom([]jsontext.Value{jsontext.Value(`""`), jsontext.Value(`"a \"b\""`), jsontext.Value(`"漢"`)}).Draw(t, "text")
	case schema.TypeNumber:
		return rapid.SampledFrom([]jsontext.Value{jsontext.Value(`1.50`), jsontext.Value(`2e3`), jsontext.Value(`-12345678901234567890`)}).Draw(t, "number")
	case schema.TypeJSON:
		return rapid.SampledFrom([]jsontext.Value{jsontext.Value(`{"b":[1.50,null],"a":"x"}`), jsontext.Value(`[]`), jsontext.Value(`"x"`), jsontext.Value(`0`)}).Draw(t, "json")
	case schema.TypeRichText:
		return rapid.SampledFrom([]jsontext.Value{jsontext.Value(`{"type":"doc","content":[]}`), jsontext.Value(`{"type":"doc","content":[{"type":"paragraph"}]}`)}).Draw(t, "tree")
	}
	compact, err := value.Intake(schematest.Fitting(t, f), f.Key)
	if err != nil {
		t.Fatal(err)
	}
	return compact
}

func changesOf(t rapid.TB, f diff.Frame, before, after jsontext.Value) []diff.Change {
	t.Helper()
	changes, err := diff.Changes(f, before, after, budget())
	if err != nil {
		t.Fatalf("%s to %s: %v", before, after, err)
	}
	return changes
}

func applied(t rapid.TB, f diff.Frame, base jsontext.Value, changes []diff.Change) jsontext.Value {
	t.Helper()
	fields, err := diff.Apply(f, base, changes)
	if err != nil {
		t.Fatalf("%s with\n%s\n%v", base, listed(changes), err)
	}
	return fields
}

func merged(t rapid.TB, f diff.Frame, base, mine, theirs jsontext.Value) *diff.Plan {
	t.Helper()
	plan, err := diff.Merge(f, f, base, mine, theirs)
	if err != nil {
		t.Fatalf("base %s\nmine %s\ntheirs %s\n%v", base, mine, theirs, err)
	}
	return plan
}

func resolved(t rapid.TB, plan *diff.Plan, take diff.Take) jsontext.Value {
	t.Helper()
	fields, err := plan.Resolve(take)
	if err != nil {
		t.Fatal(err)
	}
	return fields
}

func TestChangesAppliedToBeforeAreAfter(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		s := drawSite(t)
		s.undeclared = true
		before := s.edit(t, jsontext.Value(`{}`))
		after := s.edit(t, before)
		changes := changesOf(t, s.Frame, before, after)
		if got := applied(t, s.Frame, before, changes); string(got) != string(after) {
			t.Fatalf("%s\nbecomes %s\nand not %s\nby\n%s", before, got, after, listed(changes))
		}
		if got := applied(t, s.Frame, nil, changesOf(t, s.Frame, nil, after)); string(got) != string(after) {
			t.Fatalf("from nothing comes %s, not %s", got, after)
		}
		if got := applied(t, s.Frame, before, changesOf(t, s.Frame, before, nil)); string(got) != `{}` {
			t.Fatalf("nothing is %s", got)
		}
	})
}

func TestChangesAreOfDifferentValuesApart(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		s := drawSite(t)
		s.undeclared = true
		before := s.edit(t, jsontext.Value(`{}`))
		after := s.edit(t, before)
		changes := changesOf(t, s.Frame, before, after)
		if (len(changes) == 0) != (string(before) == string(after)) {
			t.Fatalf("%s to %s: %d changes", before, after, len(changes))
		}
		back := changesOf(t, s.Frame, after, before)
		for i, c := range changes {
			turned := map[diff.Kind]diff.Kind{diff.Added: diff.Removed, diff.Removed: diff.Added, diff.Changed: diff.Changed}
			if b := back[i]; !slices.Equal(b.Path, c.Path) || b.Kind != turned[c.Kind] || string(b.After) != string(c.Before) {
				t.Fatalf("there\n%s\nand back\n%s", listed(changes), listed(back))
			}
			for _, other := range changes[i+1:] {
				if related(other.Path, c.Path) {
					t.Fatalf("%s and %s", c.Path, other.Path)
				}
			}
		}
	})
}

func related(p, q diff.Path) bool { return p.HasPrefix(q) || q.HasPrefix(p) }

// Edits at distinct places merge to what they make one after the other, and those that both sides make agree.
func TestDisjointEditsMergeAsIfMadeOneAfterTheOther(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		s := drawSite(t)
		base := s.edit(t, jsontext.Value(`{}`))
		after := s.edit(t, base)
		var mine, theirs, both []diff.Change
		for _, c := range changesOf(t, s.Frame, base, after) {
			switch rapid.IntRange(0, 2).Draw(t, "whose") {
			case 0:
				mine = append(mine, c)
			case 1:
				theirs = append(theirs, c)
			case 2:
				mine, theirs, both = append(mine, c), append(theirs, c), append(both, c)
			}
		}
		plan := merged(t, s.Frame, base, applied(t, s.Frame, base, mine), applied(t, s.Frame, base, theirs))
		if len(plan.Conflicts) > 0 || listed(plan.Agreed) != listed(both) || len(plan.Replayed)+len(both) != len(mine) {
			t.Fatalf("base %s\nmine\n%s\ntheirs\n%s\nthe plan is %+v", base, listed(mine), listed(theirs), plan)
		}
		oneByOne := applied(t, s.Frame, applied(t, s.Frame, base, theirs), mine)
		if got := resolved(t, plan, diff.TakeTheirs); string(got) != string(after) || string(oneByOne) != string(after) {
			t.Fatalf("base %s\nmine\n%s\ntheirs\n%s\nmerged %s\none by one %s\nwant %s", base, listed(mine), listed(theirs), got, oneByOne, after)
		}
	})
}

// keeps holds that no edit from base to side is lost in fields.
func keeps(t *rapid.T, f diff.Frame, base, side, fields jsontext.Value) {
	t.Helper()
	since := changesOf(t, f, side, fields)
	for _, own := range changesOf(t, f, base, side) {
		for _, c := range since {
			if related(own.Path, c.Path) {
				t.Fatalf("base %s\nside %s\nmerged %s\nthe edit of %s is lost", base, side, fields, own.Path)
			}
		}
	}
}

func TestMergesLoseNoEdit(t *testing.T) {
	clean := 0
	testrand.Check(t, func(t *rapid.T) {
		s := drawSite(t)
		base := s.edit(t, jsontext.Value(`{}`))
		mine, theirs := s.edit(t, base), s.edit(t, base)
		plan := merged(t, s.Frame, base, mine, theirs)
		withMine, withTheirs := resolved(t, plan, diff.TakeMine), resolved(t, plan, diff.TakeTheirs)
		keeps(t, s.Frame, base, mine, withMine)
		keeps(t, s.Frame, base, theirs, withTheirs)
		if len(plan.Conflicts) == 0 {
			clean++
			keeps(t, s.Frame, base, mine, withTheirs)
			keeps(t, s.Frame, base, theirs, withMine)
		} else if string(withMine) == string(withTheirs) {
			t.Fatalf("%+v does not matter", plan.Conflicts)
		}
	})
	if clean == 0 {
		t.Error("no merge is without conflicts")
	}
}

// swapped is conflicts as the other side sees them.
func swapped(conflicts []diff.Conflict) string {
	var b strings.Builder
	for _, c := range conflicts {
		fmt.Fprintln(&b, c.Path, shown(c.Base), shown(c.Theirs), shown(c.Mine), c.Reason)
	}
	return b.String()
}

func seen(conflicts []diff.Conflict) string {
	var b strings.Builder
	for _, c := range conflicts {
		fmt.Fprintln(&b, c.Path, shown(c.Base), shown(c.Mine), shown(c.Theirs), c.Reason)
	}
	return b.String()
}

func TestMergesConflictTheSameFromBothSides(t *testing.T) {
	conflicts := 0
	testrand.Check(t, func(t *rapid.T) {
		s := drawSite(t)
		base := s.edit(t, jsontext.Value(`{}`))
		mine, theirs := s.edit(t, base), s.edit(t, base)
		plan, turned := merged(t, s.Frame, base, mine, theirs), merged(t, s.Frame, base, theirs, mine)
		if seen(plan.Conflicts) != swapped(turned.Conflicts) || listed(plan.Agreed) != listed(turned.Agreed) {
			t.Fatalf("base %s\nmine %s\ntheirs %s\n%+v\n%+v", base, mine, theirs, plan, turned)
		}
		conflicts += len(plan.Conflicts)
	})
	if conflicts == 0 {
		t.Error("no merge has conflicts")
	}
}

func TestMergesWithOneSideUnchanged(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		s := drawSite(t)
		base := s.edit(t, jsontext.Value(`{}`))
		side := s.edit(t, base)
		for _, take := range []diff.Take{diff.TakeMine, diff.TakeTheirs} {
			plan := merged(t, s.Frame, base, side, base)
			if got := resolved(t, plan, take); string(got) != string(side) || len(plan.Conflicts)+len(plan.Agreed) > 0 {
				t.Fatalf("only mine changed: %s becomes %s, not %s: %+v", base, got, side, plan)
			}
			plan = merged(t, s.Frame, base, base, side)
			if got := resolved(t, plan, take); string(got) != string(side) || len(plan.Conflicts)+len(plan.Agreed)+len(plan.Replayed) > 0 {
				t.Fatalf("only theirs changed: %s becomes %s, not %s: %+v", base, got, side, plan)
			}
			plan = merged(t, s.Frame, base, side, side)
			if got := resolved(t, plan, take); string(got) != string(side) || len(plan.Conflicts)+len(plan.Replayed) > 0 {
				t.Fatalf("both changed the same: %s becomes %s, not %s: %+v", base, got, side, plan)
			}
		}
	})
}

// Sets with one base contend where a rebase of one on the other conflicts.
func TestContendedIsWhatConflicts(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		s := drawSite(t)
		base := s.edit(t, jsontext.Value(`{}`))
		mine, theirs := s.edit(t, base), s.edit(t, base)
		contended, err := diff.Contentions(map[content.ChangeSetID][]diff.Change{
			"chs_1": changesOf(t, s.Frame, base, mine), "chs_2": changesOf(t, s.Frame, base, theirs),
		})
		if err != nil {
			t.Fatal(err)
		}
		conflicts := map[string]bool{}
		for _, c := range merged(t, s.Frame, base, mine, theirs).Conflicts {
			conflicts[c.Path.String()] = true
		}
		for _, c := range contended {
			if !conflicts[c.Path.String()] || len(c.Sets) != 2 {
				t.Fatalf("base %s\nmine %s\ntheirs %s\n%v is contended, not in conflict", base, mine, theirs, c)
			}
		}
		if len(contended) != len(conflicts) {
			t.Fatalf("base %s\nmine %s\ntheirs %s\n%v contended, %v in conflict", base, mine, theirs, contended, conflicts)
		}
	})
}
