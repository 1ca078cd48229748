package schematest

import (
	"fmt"
	"strconv"

	"pgregory.net/rapid"

	"svc/shared/schema"
)

// policy adds rules over the fields.
func policy(t *rapid.T, root *object, fields object) {
	var rules list
	keys := keysOf(fields)
	var measured []string
	for _, m := range fields.members {
		f := m.value.(object)
		kind, err := strconv.Unquote(f.get("type").(string))
		if err == nil && schema.FieldType(kind).HasText() {
			measured = append(measured, m.key)
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "rules") {
		o := object{}
		kind := rapid.SampledFrom(schema.RuleKinds()).Draw(t, "rule")
		switch {
		case kind == schema.RuleLength && len(measured) > 0:
			o.set("field", strconv.Quote(rapid.SampledFrom(measured).Draw(t, "measured")))
			o.set("max", strconv.Itoa(rapid.IntRange(5, 9).Draw(t, "longest")))
			bounded := rapid.IntRange(0, 5).Draw(t, "shortest")
			if bounded > 0 {
				o.set("min", strconv.Itoa(bounded))
			} else {
				o.setDefault("min", "0")
			}
			choose(t, &o, "words", "false", "true")
		case kind == schema.RuleRequired && len(keys) > 0:
			o.set("fields", fmt.Sprintf("[%q]", rapid.SampledFrom(keys).Draw(t, "needed")))
		case kind == schema.RuleBannedTerms:
			o.set("terms", `["foo","bar baz"]`)
			if len(keys) > 0 && rapid.Bool().Draw(t, "somewhere") {
				o.set("fields", fmt.Sprintf("[%q]", rapid.SampledFrom(keys).Draw(t, "searched")))
			}
		default:
			kind = schema.RuleAltText
		}
		o.set("rule", strconv.Quote(string(kind)))
		choose(t, &o, "reason", `""`, `"House style"`)
		rules = append(rules, o)
	}
	if len(rules) == 0 {
		root.setDefault("policy", "[]")
		return
	}
	root.set("policy", rules)
}
