package typescript

import (
	"cmp"
	"strconv"

	"svc/shared/schema"
)

// members are the options of a builder. Options that say nothing are not added.
type members []expr

func (m *members) add(key string, value expr) { *m = append(*m, value.named(key)) }

func (m *members) text(key, s string) {
	if s != "" {
		m.add(key, leaf(quote(s)))
	}
}

func (m *members) flag(key string, on bool) {
	if on {
		m.add(key, leaf("true"))
	}
}

func (m *members) count(key string, n *int) {
	if n != nil {
		m.add(key, leaf(strconv.Itoa(*n)))
	}
}

func (m *members) texts(key string, texts []string) {
	if len(texts) > 0 {
		m.add(key, array(quoted(texts)))
	}
}

// fieldsOf is a map of fields. c is the collection where they are its own, else nil.
func fieldsOf(fields schema.Fields, c *schema.Collection) expr {
	all := make([]expr, len(fields))
	for i, f := range fields {
		all[i] = call(string(f.Type), nil, optionsOf(f, c)).named(f.Key)
	}
	return object(all)
}

// optionsOf are the options of a field or of the items of a list, in the order of the canonical form.
func optionsOf(f *schema.Field, c *schema.Collection) members {
	var m members
	m.text("label", f.Label)
	m.text("description", f.Description)
	m.flag("required", f.Required)
	m.flag("localized", f.Localized)
	if f.UI != nil {
		m.add("ui", ui(f.UI))
	}
	m.flag("multiline", f.Multiline)
	m.count("minLength", f.MinLength)
	m.count("maxLength", f.MaxLength)
	m.text("pattern", f.Pattern)
	m.texts("enum", f.Enum)
	m.flag("integer", f.Integer)
	m.bound("min", f, f.Min)
	m.bound("max", f, f.Max)
	if f.Default != nil {
		m.add("default", defaultOf(f))
	}
	m.texts("allowed", f.Allowed)
	m.text("to", f.To)
	m.flag("multiple", f.Multiple)
	if c != nil && f.From != cmp.Or(c.TitleField, f.Key) {
		m.text("from", f.From)
	}
	m.nested(f)
	m.count("minItems", f.MinItems)
	m.count("maxItems", f.MaxItems)
	return m
}

func (m *members) bound(key string, f *schema.Field, bound string) {
	switch {
	case bound == "":
	case f.Type == schema.TypeNumber:
		m.add(key, number(bound))
	default:
		m.text(key, bound)
	}
}

func defaultOf(f *schema.Field) expr {
	if f.Type == schema.TypeNumber {
		return number(string(f.Default))
	}
	return literal(f.Default)
}

func (m *members) nested(f *schema.Field) {
	switch f.Type {
	case schema.TypeList:
		m.add("of", call("item."+string(f.Of.Type), nil, optionsOf(f.Of, nil)))
	case schema.TypeObject:
		m.add("fields", fieldsOf(f.Fields, nil))
	case schema.TypeBlocks:
		blocks := make([]expr, len(f.Blocks))
		for i, b := range f.Blocks {
			var of members
			of.text("key", b.Key)
			of.text("label", b.Label)
			of.add("fields", fieldsOf(b.Fields, nil))
			blocks[i] = call("block", nil, of)
		}
		m.add("allowed", array(blocks))
	}
}

func ui(ui *schema.UI) expr {
	var m members
	m.text("widget", ui.Widget)
	m.text("placeholder", ui.Placeholder)
	m.text("helpText", ui.HelpText)
	m.text("group", ui.Group)
	m.flag("hidden", ui.Hidden)
	return object(m)
}
