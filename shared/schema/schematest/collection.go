package schematest

import (
	"fmt"
	"strconv"

	"pgregory.net/rapid"

	"svc/shared/schema"
)

// Patterns are the patterns that random text fields use.
var Patterns = []string{`^[a-z]+$`, `[0-9]`, `^(x|yy)*$`}

// Files makes valid files of a collection named "things", whose references lead to itself.
func Files() *rapid.Generator[*File] {
	return rapid.Custom(func(t *rapid.T) *File {
		root := object{}
		root.set("name", `"things"`)
		root.setDefault("label", `"things"`)
		root.setDefault("titleField", "null")
		root.setDefault("path", "null")
		root.setDefault("policy", "[]")
		singleton := rapid.Bool().Draw(t, "singleton")
		if singleton {
			root.set("kind", `"singleton"`)
		} else {
			root.setDefault("kind", `"collection"`)
		}
		if rapid.Bool().Draw(t, "public") {
			root.set("visibility", `"public"`)
		} else {
			root.setDefault("visibility", `"private"`)
		}
		fields := object{ordered: true}
		for i := range rapid.IntRange(0, 6).Draw(t, "fields") {
			fields.set(key(i), field(t, 1, true))
		}
		if !singleton && rapid.Bool().Draw(t, "slug") {
			fields.set("slug", slug(t))
		}
		root.set("fields", fields)
		return &File{root}
	})
}

func key(i int) string { return string(rune('a'+i)) + "_" + strconv.Itoa(i) }

func slug(t *rapid.T) object {
	o := object{}
	o.set("type", `"slug"`)
	o.setDefault("from", `"slug"`)
	required(t, &o)
	return o
}

func required(t *rapid.T, o *object) {
	if rapid.Bool().Draw(t, "required") {
		o.set("required", "true")
	} else {
		o.setDefault("required", "false")
	}
}

func maybe(t *rapid.T, what string) bool { return rapid.IntRange(0, 2).Draw(t, what) == 0 }

// field makes a field at a depth.
func field(t *rapid.T, depth int, top bool) object {
	types := schema.FieldTypes()
	kind := rapid.SampledFrom(types).Draw(t, "type")
	if kind == schema.TypeSlug || depth > schema.MaxNestingDepth && nests(kind) {
		kind = schema.TypeText
	}
	o := object{}
	required(t, &o)
	if top && maybe(t, "localized") {
		o.set("localized", "true")
	} else if top {
		o.setDefault("localized", "false")
	}
	if maybe(t, "label") {
		o.set("label", `"Label"`)
		o.set("ui", `{"group":"g"}`)
	}
	o.setDefault("description", `""`)
	options(t, &o, kind, depth, false)
	return o
}

func nests(kind schema.FieldType) bool {
	return kind == schema.TypeObject || kind == schema.TypeBlocks || kind == schema.TypeList
}

// options adds the type and its options; item is for the items of a list.
func options(t *rapid.T, o *object, kind schema.FieldType, depth int, item bool) {
	o.set("type", strconv.Quote(string(kind)))
	switch kind {
	case schema.TypeText:
		text(t, o, item)
	case schema.TypeMarkdown:
		bounds(t, o, "minLength", "maxLength", 0, 12)
	case schema.TypeNumber:
		number(t, o)
	case schema.TypeDate:
		times(t, o, `"2020-01-%02d"`)
	case schema.TypeDatetime:
		times(t, o, `"2020-01-%02dT12:00:00+02:00"`)
	case schema.TypeReference:
		o.set("to", `"things"`)
	case schema.TypeAsset:
		if maybe(t, "allowed") {
			o.set("allowed", `["image/*","video/mp4"]`)
		} else {
			o.setDefault("allowed", `["*/*"]`)
		}
	case schema.TypeList:
		bounds(t, o, "minItems", "maxItems", 0, 3)
		of := object{}
		options(t, &of, rapid.SampledFrom(schema.ItemTypes()).Draw(t, "of"), depth, true)
		o.set("of", of)
	case schema.TypeObject:
		o.set("fields", nested(t, depth+1))
	case schema.TypeBlocks:
		bounds(t, o, "minItems", "maxItems", 0, 3)
		o.set("allowed", blocks(t, depth+1))
	}
	if multiple := kind == schema.TypeReference || kind == schema.TypeAsset; multiple && !item {
		if rapid.Bool().Draw(t, "multiple") {
			o.set("multiple", "true")
		} else {
			o.setDefault("multiple", "false")
		}
	}
}

func nested(t *rapid.T, depth int) object {
	fields := object{ordered: true}
	for i := range rapid.IntRange(0, 3).Draw(t, "nested fields") {
		fields.set(key(i), field(t, depth, false))
	}
	return fields
}

func blocks(t *rapid.T, depth int) list {
	var all list
	for i := range rapid.IntRange(1, 2).Draw(t, "blocks") {
		b := object{}
		b.set("key", strconv.Quote(key(i)))
		b.set("fields", nested(t, depth))
		b.setDefault("label", `""`)
		all = append(all, b)
	}
	return all
}

func text(t *rapid.T, o *object, item bool) {
	if !item {
		o.setDefault("multiline", "false")
	}
	switch rapid.IntRange(0, 3).Draw(t, "constraint") {
	case 0:
		bounds(t, o, "minLength", "maxLength", 0, 12)
	case 1:
		o.set("pattern", strconv.Quote(rapid.SampledFrom(Patterns).Draw(t, "pattern")))
	case 2:
		o.set("enum", `["one","zwei","три"]`)
	}
}

func number(t *rapid.T, o *object) {
	if maybe(t, "integer") {
		o.set("integer", "true")
	} else {
		o.setDefault("integer", "false")
	}
	if maybe(t, "min") {
		o.set("min", strconv.Itoa(rapid.IntRange(-9, 0).Draw(t, "min value")))
	}
	if maybe(t, "max") {
		o.set("max", strconv.Itoa(rapid.IntRange(1, 9).Draw(t, "max value")))
	}
}

func times(t *rapid.T, o *object, format string) {
	if maybe(t, "min") {
		o.set("min", fmt.Sprintf(format, rapid.IntRange(1, 9).Draw(t, "first day")))
	}
	if maybe(t, "max") {
		o.set("max", fmt.Sprintf(format, rapid.IntRange(10, 28).Draw(t, "last day")))
	}
}

// bounds adds a lower and an upper bound that leave something between them.
func bounds(t *rapid.T, o *object, lower, upper string, least, most int) {
	low := rapid.IntRange(least, most).Draw(t, lower)
	if low > 0 {
		o.set(lower, strconv.Itoa(low))
	} else {
		o.setDefault(lower, "0")
	}
	if maybe(t, upper) {
		o.set(upper, strconv.Itoa(rapid.IntRange(low, most).Draw(t, upper+" value")))
	}
}
