package schematest

import (
	"fmt"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"svc/shared/schema"
)

// Patterns are the patterns that random text fields use.
var Patterns = []string{`^[a-z]+$`, `[0-9]`, `^(x|yy)*$`}

// examples match the patterns, which stand here as they do in a file.
var examples = map[string]string{`"^[a-z]+$"`: "abc", `"[0-9]"`: "a1", `"^(x|yy)*$"`: "xyy"}

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
			o.set("allowed", rapid.SampledFrom([]string{`["image/*","video/mp4"]`, `["image/png"]`, `["image/*"]`}).Draw(t, "families"))
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
		choose(t, o, "multiple", "false", "true")
	}
	if !item {
		preset(t, o, kind)
	}
}

// preset adds a default that fits what text, number and the others have set.
func preset(t *rapid.T, o *object, kind schema.FieldType) {
	value := map[schema.FieldType]string{
		schema.TypeText: `"é"`, schema.TypeNumber: "1.0", schema.TypeBoolean: "true", schema.TypeDate: `"2020-01-09"`,
		schema.TypeDatetime: `"2020-01-09T12:00:00+02:00"`, schema.TypeMarkdown: `"*"`, schema.TypeJSON: `{"b":[1.50,null],"a":"x"}`,
	}[kind]
	switch {
	case kind == schema.TypeJSON && !maybe(t, "default"):
		o.setDefault("default", "null")
		return
	case value == "" || !maybe(t, "default"):
		return
	}
	if pattern := o.get("pattern"); pattern != nil {
		value = strconv.Quote(examples[pattern.(string)])
	} else if o.get("enum") != nil {
		value = `"zwei"`
	} else if low, _ := o.get("minLength").(string); low != "" {
		n, _ := strconv.Atoi(low)
		value = strconv.Quote(strings.Repeat("漢", n))
	} else if most, _ := o.get("maxLength").(string); most == "0" {
		value = `""`
	}
	o.set("default", value)
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
		choose(t, &b, "label", `""`, `"Block"`)
		all = append(all, b)
	}
	return all
}

func text(t *rapid.T, o *object, item bool) {
	if !item {
		choose(t, o, "multiline", "false", "true")
	}
	switch rapid.IntRange(0, 3).Draw(t, "constraint") {
	case 0:
		bounds(t, o, "minLength", "maxLength", 0, 12)
	case 1:
		o.set("pattern", strconv.Quote(rapid.SampledFrom(Patterns).Draw(t, "pattern")))
	case 2:
		o.set("enum", rapid.SampledFrom([]string{`["one","zwei","три"]`, `["zwei","one"]`, `["zwei"]`}).Draw(t, "enum"))
	}
}

func number(t *rapid.T, o *object) {
	choose(t, o, "integer", "false", "true")
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
