package schema_test

import (
	"flag"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"svc/shared/schema"
	"svc/shared/schema/diff"
	"svc/shared/schema/schematest"
	"svc/shared/testrand"
)

// Random schemas are cheap, and their space is large. A flag of the command line comes after this and wins.
func init() {
	if err := flag.Set("rapid.checks", "500"); err != nil {
		panic(err)
	}
}

func parse(t *rapid.T, file []byte) *schema.Collection {
	c, err := schema.Parse(file)
	if err != nil {
		t.Fatalf("%s\n%v", file, err)
	}
	return c
}

func TestFilesOfOneMeaningHaveOneHash(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		file := schematest.Files().Draw(t, "file")
		plain, spelled := parse(t, file.Plain()), parse(t, file.Spelled(t))
		if d := cmp.Diff(string(plain.Canonical()), string(spelled.Canonical())); d != "" {
			t.Fatal(d)
		}
		if plain.Hash() != spelled.Hash() {
			t.Fatal("hashes differ")
		}
	})
}

func TestCanonicalFormReadsBackAsItself(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		c := parse(t, schematest.Files().Draw(t, "file").Plain())
		again := parse(t, c.Canonical())
		if d := cmp.Diff(string(c.Canonical()), string(again.Canonical())); d != "" {
			t.Fatal(d)
		}
	})
}

// pair draws a collection and what may become of it.
func pair(t *rapid.T) (old, now *schema.Collection, oldFile, nowFile *schematest.File) {
	oldFile = schematest.Files().Draw(t, "old")
	nowFile = oldFile.Variant(t)
	return parse(t, oldFile.Plain()), parse(t, nowFile.Plain()), oldFile, nowFile
}

func TestThePlanIsEmptyExactlyWhenTheHashesAndLabelsAgree(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		a, b, _, _ := pair(t)
		plan := diff.Diff([]*schema.Collection{a}, []*schema.Collection{b})
		if plan.InSync() != (a.Hash() == b.Hash() && a.Label == b.Label) {
			t.Fatalf("in sync %v for\n%s\n%s", plan.InSync(), a.Canonical(), b.Canonical())
		}
	})
}

func TestAPlanDependsOnMeaningAlone(t *testing.T) {
	other := &schema.Collection{Name: "other", Label: "other", Kind: schema.KindCollection, Visibility: schema.VisibilityPrivate}
	gone := &schema.Collection{Name: "gone", Label: "gone", Kind: schema.KindCollection, Visibility: schema.VisibilityPrivate}
	testrand.Check(t, func(t *rapid.T) {
		old, now, oldFile, nowFile := pair(t)
		plan := diff.Diff([]*schema.Collection{old, gone}, []*schema.Collection{other, now})
		again := diff.Diff([]*schema.Collection{gone, parse(t, oldFile.Spelled(t))}, []*schema.Collection{parse(t, nowFile.Spelled(t)), other})
		if d := cmp.Diff(plan, again); d != "" {
			t.Fatal(d)
		}
		if none := diff.Diff([]*schema.Collection{now, other}, []*schema.Collection{other, parse(t, nowFile.Spelled(t))}); !none.InSync() || none.Class != diff.Safe {
			t.Fatalf("with itself: %+v", none)
		}
		highest := 0
		for _, o := range plan.Operations {
			highest = max(highest, slices.Index(diff.Classes(), o.Class))
		}
		if plan.Class != diff.Classes()[highest] {
			t.Fatalf("the plan is %s: %+v", plan.Class, plan.Operations)
		}
	})
}

// A plan is destructive exactly where values lose their place: this rule looks at the canonical JSON alone.
func TestDestructiveIsWhatTakesValuesTheirPlace(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		old, now, _, _ := pair(t)
		want := string(old.Kind) != string(now.Kind) || losesFields(fieldsOf(t, old), fieldsOf(t, now))
		plan := diff.Diff([]*schema.Collection{old}, []*schema.Collection{now})
		if got := plan.Class == diff.Destructive; got != want {
			t.Fatalf("destructive %v, want %v:\n%s\n%s\n%+v", got, want, old.Canonical(), now.Canonical(), plan.Operations)
		}
	})
}

type dict = map[string]any

func fieldsOf(t *rapid.T, c *schema.Collection) any {
	var v dict
	if err := json.Unmarshal(c.Canonical(), &v); err != nil {
		t.Fatal(err)
	}
	return v["fields"]
}

// losesFields reports whether some field of old is gone or cannot hold its values any more.
func losesFields(old, now any) bool {
	for key, was := range old.(dict) {
		is, there := now.(dict)[key]
		if !there || losesValues(was.(dict), is.(dict)) {
			return true
		}
	}
	return false
}

func losesValues(was, is dict) bool {
	if was["type"] != is["type"] || was["to"] != is["to"] || was["localized"] == true && is["localized"] != true {
		return true
	}
	switch was["type"] {
	case "object":
		return losesFields(was["fields"], is["fields"])
	case "list":
		return losesValues(was["of"].(dict), is["of"].(dict))
	case "blocks":
		return losesFields(blocksByKey(was), blocksByKey(is))
	}
	return false
}

// blocksByKey shows blocks as objects by their key.
func blocksByKey(f dict) dict {
	blocks := dict{}
	for _, b := range f["allowed"].([]any) {
		blocks[b.(dict)["key"].(string)] = dict{"type": "object", "fields": b.(dict)["fields"]}
	}
	return blocks
}
