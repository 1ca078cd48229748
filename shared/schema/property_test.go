package schema_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"svc/shared/schema"
	"svc/shared/schema/diff"
	"svc/shared/schema/schematest"
)

func parse(t *rapid.T, file []byte) *schema.Collection {
	c, err := schema.Parse(file)
	if err != nil {
		t.Fatalf("%s\n%v", file, err)
	}
	return c
}

func TestFilesOfOneMeaningHaveOneHash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
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
	rapid.Check(t, func(t *rapid.T) {
		c := parse(t, schematest.Files().Draw(t, "file").Plain())
		again := parse(t, c.Canonical())
		if d := cmp.Diff(string(c.Canonical()), string(again.Canonical())); d != "" {
			t.Fatal(d)
		}
	})
}

func TestThePlanIsEmptyExactlyWhenTheHashesAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := parse(t, schematest.Files().Draw(t, "a").Plain())
		b := parse(t, schematest.Files().Draw(t, "b").Plain())
		plan := diff.Diff([]*schema.Collection{a}, []*schema.Collection{b})
		if plan.InSync() != (a.Hash() == b.Hash()) {
			t.Fatalf("in sync %v for\n%s\n%s", plan.InSync(), a.Canonical(), b.Canonical())
		}
	})
}
