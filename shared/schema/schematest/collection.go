package schematest

import (
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"svc/shared/schema"
)

// Files makes valid files of a collection named "things", whose references lead to itself.
func Files() *rapid.Generator[*File] {
	return rapid.Custom(func(t *rapid.T) *File {
		fields := object{ordered: true}
		for i := range rapid.IntRange(0, 6).Draw(t, "fields") {
			fields.set(key(i), field(t, 1, true))
		}
		return build(t, fields, character{
			singleton: rapid.Bool().Draw(t, "singleton"), public: rapid.Bool().Draw(t, "public"), slug: rapid.Bool().Draw(t, "slug"),
		})
	})
}

// character is what a collection is as a whole.
type character struct{ singleton, public, slug bool }

// build makes a file around its fields, which have no slug yet.
func build(t *rapid.T, fields object, c character) *File {
	root := object{}
	root.set("name", `"things"`)
	choose(t, &root, "label", `"things"`, `"Things"`)
	choose(t, &root, "guidance", `""`, `"Be brief."`)
	root.either("visibility", `"private"`, `"public"`, c.public)
	root.either("kind", `"collection"`, `"singleton"`, c.singleton)
	keys := keysOf(fields)
	title := "slug"
	if len(keys) > 0 && maybe(t, "title field") {
		title = rapid.SampledFrom(keys).Draw(t, "title")
		root.set("titleField", strconv.Quote(title))
	} else {
		root.setDefault("titleField", "null")
	}
	if !c.singleton && c.slug {
		fields.members = slices.Clip(fields.members)
		fields.set("slug", slug(t, keys, title))
	}
	if !c.singleton && maybe(t, "path") {
		root.set("path", `"/things/{slug}"`)
	} else {
		root.setDefault("path", "null")
	}
	policy(t, &root, fields)
	root.set("fields", fields)
	return &File{root, c}
}

// choose sets an option to one of two values, the first being its default; it reports whether it is the other one.
func choose(t *rapid.T, o *object, key, usual, other string) bool {
	chosen := rapid.Bool().Draw(t, key)
	o.either(key, usual, other, chosen)
	return chosen
}

func key(i int) string { return string(rune('a'+i)) + "_" + strconv.Itoa(i) }

func keysOf(fields object) []string {
	keys := make([]string, len(fields.members))
	for i, m := range fields.members {
		keys[i] = m.key
	}
	return keys
}

// slug makes the slug field. usual is where slugs come from when it does not say.
func slug(t *rapid.T, keys []string, usual string) object {
	o := object{}
	o.set("type", `"slug"`)
	if from := rapid.SampledFrom(append([]string{usual}, keys...)).Draw(t, "from"); from != usual {
		o.set("from", strconv.Quote(from))
	} else {
		o.setDefault("from", strconv.Quote(usual))
	}
	required(t, &o)
	return o
}

func required(t *rapid.T, o *object) { choose(t, o, "required", "false", "true") }

func maybe(t *rapid.T, what string) bool { return rapid.IntRange(0, 2).Draw(t, what) == 0 }

// field makes a field at a depth.
func field(t *rapid.T, depth int, top bool) object {
	types := schema.FieldTypes()
	kind := rapid.SampledFrom(types).Draw(t, "type")
	if kind == schema.TypeSlug || depth > schema.MaxNestingDepth && nests(kind) {
		kind = schema.TypeText
	}
	return fieldOf(t, kind, depth, top)
}

// fieldOf makes a field of a type.
func fieldOf(t *rapid.T, kind schema.FieldType, depth int, top bool) object {
	o := object{}
	required(t, &o)
	if top {
		choose(t, &o, "localized", "false", "true")
	}
	if maybe(t, "described") {
		o.set("label", `"Label"`)
		o.set("description", `"What it is for"`)
		o.set("ui", `{"group":"g","hidden":true}`)
	} else {
		o.setDefault("label", `""`)
		o.setDefault("description", `""`)
		o.setDefault("ui", `{"hidden":false,"widget":""}`)
	}
	options(t, &o, kind, depth, false)
	return o
}

func nests(kind schema.FieldType) bool {
	return kind == schema.TypeObject || kind == schema.TypeBlocks || kind == schema.TypeList
}
