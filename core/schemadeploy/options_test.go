package schemadeploy_test

import (
	"testing"

	"svc/core/entry/entrytest"
	"svc/core/schemadeploy"
	"svc/shared/schema/diff"
)

// Changes of a collection as a whole, over an entry that stays as it is, both ways. None of them loses content.
func TestEveryOptionOfACollectionChangesBothWays(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	const fields = `"fields":{"f":{"type":"text"},"s":{"type":"slug"},"g":{"type":"text"}}}`
	plain := `{"name":"c",` + fields
	mustDeploy(b, plain)
	b.Published("c", `{"f":"x","s":"x"}`)
	for _, row := range []struct {
		name, changed string
		there, back   diff.Class
		versioned     bool
	}{
		{"label", `{"name":"c","label":"C",` + fields, safe, safe, false},
		{"visibility", `{"name":"c","visibility":"public",` + fields, safe, conditional, true},
		{"titleField", `{"name":"c","titleField":"f",` + fields, safe, safe, true},
		{"path", `{"name":"c","path":"/c/{slug}",` + fields, safe, safe, true},
		{"guidance", `{"name":"c","guidance":"Be kind.",` + fields, safe, safe, true},
		{"policy", `{"name":"c","policy":[{"rule":"required","fields":["g"]}],` + fields, safe, safe, true},
		{"the source of slugs", `{"name":"c","fields":{"f":{"type":"text"},"s":{"type":"slug","from":"f"},"g":{"type":"text"}}}`, safe, safe, true},
		{"the order of fields", `{"name":"c","fields":{"g":{"type":"text"},"s":{"type":"slug"},"f":{"type":"text"}}}`, safe, safe, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			before, err := schemadeploy.Get(t.Context(), b.Pool, b.ID, "c")
			b.OK(err)
			there := b.Push(row.changed)
			if there.Plan.Class != row.there || there.Plan.InSync() || (there.Versions["c"] != before.Version) != row.versioned {
				t.Errorf("there: %s, version %d after %d", there.Plan.Class, there.Versions["c"], before.Version)
			}
			again := b.Push(row.changed)
			if !again.Plan.InSync() || again.Versions["c"] != there.Versions["c"] {
				t.Errorf("again: %+v", again)
			}
			back := b.Push(plain)
			if back.Plan.Class != row.back || back.Versions["c"] != before.Version {
				t.Errorf("back: %s, version %d after %d", back.Plan.Class, back.Versions["c"], before.Version)
			}
		})
	}
}
