package diff

import (
	"strings"
	"testing"
)

// What a change means for those who read is said with it, whatever its class.
func TestAChangeSaysWhatReadersSeeOfIt(t *testing.T) {
	const (
		plain = `{"name":"c","fields":{"f":{"type":"text"}}}`
		path  = `{"name":"c","path":"/c/{slug}","titleField":"f","fields":{"f":{"type":"text"}}}`
		slug  = `{"name":"c","fields":{"f":{"type":"text"},"s":{"type":"slug"}}}`
		from  = `{"name":"c","fields":{"f":{"type":"text"},"s":{"type":"slug","from":"f"}}}`
		both  = `{"name":"c","path":"/c/{slug}","fields":{"f":{"type":"text"},"s":{"type":"slug"}}}`
		gain  = "; entries without a slug get one when they are edited next"
		lose  = "; entries have no slugs any more"
	)
	field := func(f string) string { return `{"name":"c","fields":{"f":` + f + `}}` }
	for _, tt := range []struct {
		old, new    string
		there, back string // the operation that tells, and part of what it says
	}{
		{field(`{"type":"asset"}`), field(`{"type":"asset","multiple":true}`), "multiple_allowed: readers get a list", "multiple_disallowed: readers get it alone"},
		{field(`{"type":"text"}`), field(`{"type":"text","localized":true}`), "localized_added: readers who name none get values by locale", "localized_removed: must be cleared first"},
		{plain, `{"name":"c","visibility":"public","fields":{"f":{"type":"text"}}}`, "made_public: at earlier releases too", "made_private: at earlier releases too"},
		{plain, ``, "collection_removed: out of reach at earlier releases too", "collection_added: "},
		{plain, path, "path_changed: " + gain, "path_changed: " + lose},
		{plain, slug, "field_added: " + gain, "field_removed: " + lose},
		{plain, both, "path_changed: " + gain, "path_changed: " + lose},
		{field(`{"type":"text"}`), field(`{"type":"slug"}`), "type_changed: " + gain, "type_changed: " + lose},
		{slug, from, "slug_source_changed: new slugs", "slug_source_changed: new slugs"},
	} {
		old, new := parse(t, tt.old), parse(t, tt.new)
		for want, plan := range map[string]Plan{tt.there: Diff(old, new), tt.back: Diff(new, old)} {
			kind, says, _ := strings.Cut(want, ": ")
			told := false
			for _, o := range plan.Operations {
				told = told || string(o.Kind) == kind && strings.Contains(o.Message, says)
			}
			if !told {
				t.Errorf("%s to %s: want %s in %+v", tt.old, tt.new, want, plan.Operations)
			}
		}
	}
	for _, still := range []string{slug, both} { // a slug either way
		for _, o := range Diff(parse(t, slug), parse(t, still)).Operations {
			if strings.Contains(o.Message, "entries") {
				t.Errorf("%+v", o)
			}
		}
	}
	if d := Diff(parse(t, `{"name":"c","titleField":"g","fields":{"f":{"type":"text"},"g":{"type":"text"},"s":{"type":"slug","from":"f"}}}`),
		parse(t, `{"name":"c","titleField":"f","fields":{"f":{"type":"text"},"g":{"type":"text"},"s":{"type":"slug"}}}`)); len(d.Operations) != 1 {
		t.Errorf("the source of slugs stays the same: %+v", d.Operations)
	}
}
