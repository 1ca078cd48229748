package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/wire"
	"svc/shared/content"
)

// What others publish while a person reads the plan is shown before anything is written; what they publish at the very last is told.
func TestARebaseWritesThePlanThatWasShown(t *testing.T) {
	t.Parallel()
	const set = "chs_00000000000000000000000002"
	const written = `{"onConflict":"take-mine","dryRun":false}`
	for name, test := range map[string]struct {
		others  int
		answers string
		exit    Exit
		asked   int
		body    string
		told    string
	}{
		"nothing else is published": {0, "y\n", ExitOK, 1, written, ""},
		"before the answer":         {2, "y\n2\n", ExitOK, 2, written, "warning: the plan has changed since it was shown"},
		"and that is not wanted":    {2, "y\nn\n", ExitFailed, 2, `{"onConflict":"take-mine","dryRun":true}`, "nothing was changed"},
		"and yes was typed ahead":   {2, "y\ny\n", ExitFailed, 2, `{"onConflict":"take-mine","dryRun":true}`, "Then type the number of entries, 2: error: not confirmed"},
		"after it":                  {3, "y\n", ExitOK, 1, written, "warning: the plan changed in the last moment, and this was done"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			withContent(d)
			d.others = test.others
			p := d.call(call{args: []string{"change-sets", "rebase", set, "--on-conflict", "take-mine"}, terminal: true, in: test.answers, env: map[string]string{"NO_COLOR": "1"}})
			body := d.bodies["POST /v1/projects/demo/change-sets/"+set+"/rebase"]
			if p.exit != test.exit || strings.Count(p.err, "Go on with rebasing") != test.asked || body != test.body || !strings.Contains(p.err, test.told) {
				t.Errorf("exit %d, sent %s:\n%s%s", p.exit, body, p.out, p.err)
			}
			if !strings.Contains(p.err, "theirs       c") || strings.Contains(p.err, "theirs       d") != (test.others > 0) || strings.Contains(p.err, "warning") != (test.others > 0) {
				t.Errorf("the plans that were shown:\n%s", p.err)
			}
		})
	}
}

// A plan that looks as before is not shown again, and one that needs a choice now is not written.
func TestARebaseTellsWhatWasPublishedMeanwhile(t *testing.T) {
	t.Parallel()
	const set = "chs_00000000000000000000000002"
	for name, test := range map[string]struct {
		others   int
		elseOnly bool
		choice   string
		answers  string
		exit     Exit
		body     string
		told     string
		shown    int
	}{
		"something else":                    {2, true, "take-mine", "y\n2\n", ExitOK, `{"onConflict":"take-mine","dryRun":false}`, "warning: something was published meanwhile", 1},
		"something else in the last moment": {3, true, "take-mine", "y\n", ExitOK, `{"onConflict":"take-mine","dryRun":false}`, "warning: something was published in the last moment", 1},
		"a conflict": {
			2, false, "fail", "y\n", ExitFailed, `{"onConflict":"fail","dryRun":true}`,
			"warning: the plan has changed since it was shown, and nothing was written", 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			withContent(d)
			d.others, d.elseOnly, d.agreeing = test.others, test.elseOnly, test.choice == "fail"
			p := d.call(call{args: []string{"change-sets", "rebase", set, "--on-conflict", test.choice}, terminal: true, in: test.answers, env: map[string]string{"NO_COLOR": "1"}})
			body := d.bodies["POST /v1/projects/demo/change-sets/"+set+"/rebase"]
			if p.exit != test.exit || body != test.body || !strings.Contains(p.err, test.told) || strings.Count(p.err, "replayed fields.title") != test.shown {
				t.Errorf("exit %d, sent %s:\n%s%s", p.exit, body, p.out, p.err)
			}
		})
	}
}

// The values of a conflict are one line each, which shows where they differ.
func TestConflictingValuesAreCutToOneLine(t *testing.T) {
	t.Parallel()
	same := strings.Repeat("The same words again. ", 20)
	quoted := func(text string) jsontext.Value { return jsontext.Value(quoted(text)) }
	for name, test := range map[string]struct {
		values []jsontext.Value
		want   []string
	}{
		"short":   {[]jsontext.Value{quoted("a"), quoted("b\nc"), nil}, []string{"a", "b c", "–"}},
		"cleared": {[]jsontext.Value{quoted("a"), jsontext.Value("null"), jsontext.Value(`[1]`)}, []string{"a", "–", "[1]"}},
		"long":    {[]jsontext.Value{quoted("a" + same), quoted("b" + same), nil}, []string{"aThe same words again. The same words a…", "bThe same words again. The same words a…", "–"}},
		"far in":  {[]jsontext.Value{quoted(same + "Red barn."), quoted(same + "Green barn."), quoted(same)}, []string{"… The same words again. Red barn.", "… The same words again. Green barn.", "… The same words again. "}},
		"in two places": {
			[]jsontext.Value{quoted(same + "Red barn. " + same + "Old mill."), quoted(same + "Green barn. " + same + "Old mill."), quoted(same + "Red barn. " + same + "New mill.")},
			[]string{"… The same words again. Red barn. The s…", "… The same words again. Green barn. The…", "… The same words again. New mill."},
		},
		"theirs first":   {[]jsontext.Value{quoted(same + "a"), quoted(same + "b"), quoted("x" + same + "a")}, []string{"The same words again. The same words ag…", "… The same words again. b", "xThe same words again. The same words a…"}},
		"without base":   {[]jsontext.Value{nil, quoted(same + "b"), quoted(same + "c")}, []string{"–", "… The same words again. b", "… The same words again. c"}},
		"wide context":   {[]jsontext.Value{quoted(strings.Repeat("春", 60) + "a"), quoted(strings.Repeat("春", 60) + "b"), nil}, []string{"… " + strings.Repeat("春", 13) + "a", "… " + strings.Repeat("春", 13) + "b", "–"}},
		"only one":       {[]jsontext.Value{nil, quoted(same), nil}, []string{"–", "The same words again. The same words ag…", "–"}},
		"wide letters":   {[]jsontext.Value{quoted(strings.Repeat("春", 30)), nil, nil}, []string{strings.Repeat("春", 19) + "…", "–", "–"}},
		"without spaces": {[]jsontext.Value{quoted(strings.Repeat("x", 60) + "a"), quoted(strings.Repeat("x", 60) + "b"), nil}, []string{"… " + strings.Repeat("x", 20) + "a", "… " + strings.Repeat("x", 20) + "b", "–"}},
	} {
		if got := excerpts(40, test.values[0], test.values[1], test.values[2]); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// A plan that does not show all of a value says how to see it.
func TestAPlanSaysWhetherItShowsTheValuesWhole(t *testing.T) {
	t.Parallel()
	const hint = "--full shows the values whole"
	for name, test := range map[string]struct {
		value string
		full  bool
		hint  bool
	}{
		"short":       {"a\nb", false, false},
		"long":        {strings.Repeat("The same words again. ", 20), false, true},
		"long, whole": {strings.Repeat("The same words again. ", 20), true, false},
	} {
		conflicts := []wire.RebaseConflict{{Path: "fields.body", Base: jsontext.Value(quoted(test.value)), Mine: jsontext.Value(`"b"`)}, {Path: "fields.title", Mine: jsontext.Value(`"b"`)}}
		var p page
		rebasePlan{Rebased: wire.Rebased{Items: []wire.RebasedItem{{Conflicts: conflicts}}}, onConflict: "fail", full: test.full}.show(&p)
		if strings.Contains(p.String(), hint) != test.hint {
			t.Errorf("%s: %s", name, p.String())
		}
	}
}

// An edit of which nothing is left is named with the command that takes it out.
func TestARebaseNamesTheEditsOfWhichNothingIsLeft(t *testing.T) {
	t.Parallel()
	base, same := id[content.RevisionID](3), jsontext.Value(`"a"`)
	changed := []wire.Change{{Path: "fields.title", Kind: "changed"}}
	conflict := []wire.RebaseConflict{{Path: "fields.title", Mine: same}}
	removed := []wire.RebaseConflict{{Path: "fields.note", Mine: same, Reason: "field_removed"}}
	for name, test := range map[string]struct {
		onConflict string
		item       wire.RebasedItem
		left       bool
	}{
		"replayed":                {"take-theirs", wire.RebasedItem{Replayed: changed, Conflicts: conflict}, true},
		"agreed":                  {"fail", wire.RebasedItem{Agreed: changed}, false},
		"nothing differs":         {"fail", wire.RebasedItem{}, false},
		"mine taken":              {"take-mine", wire.RebasedItem{Conflicts: conflict}, true},
		"theirs taken":            {"take-theirs", wire.RebasedItem{Conflicts: conflict}, false},
		"mine without its field":  {"take-mine", wire.RebasedItem{Conflicts: removed}, false},
		"mine, in one of several": {"take-mine", wire.RebasedItem{Conflicts: append(removed, conflict...)}, true},
	} {
		test.item.ResourceID, test.item.BaseRevisionID = "ent_1", &base
		test.item.Collection, test.item.Slug = "posts", orNull("one")
		done := rebasePlan{Rebased: wire.Rebased{ChangeSet: wire.ChangeSet{ID: "chs_1"}, Items: []wire.RebasedItem{test.item}}, onConflict: test.onConflict, names: resourceNames{"ent_1": "posts/one"}}
		var after, plan page
		after.rebased(done)
		done.items(&plan)
		told := strings.Contains(after.String(), `nothing is left of the edit of posts/one; "svc change-sets unstage chs_1 ent_1" takes it out`)
		if told == test.left {
			t.Errorf("%s: %s", name, after.String())
		}
		if strings.Contains(plan.String(), "nothing differs from what is published") != (name == "nothing differs") {
			t.Errorf("%s: %s", name, plan.String())
		}
	}
}
