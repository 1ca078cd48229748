// Package typescript writes collections as TypeScript: Source is a file of "svc/schema" builders that loads back to the
// same collection, and Types are the types of entries, as they are written and as they are read.
//
// Both are deterministic and formatted: two spaces, double quotes, short options on one line and long ones broken at
// about a hundred columns.
package typescript

import (
	"maps"
	"slices"
	"strings"

	"svc/shared/schema"
)

// module is what schema files import the builders from.
const module = "svc/schema"

// Source writes the file that declares one collection as its default export. Loaded, it yields a collection with the
// same label and hash: every string, number and order is kept, options with their default are left out.
func Source(c *schema.Collection) []byte {
	declaration := collectionOf(c)
	names := map[string]bool{}
	declaration.imports(names)
	var sorted []expr
	for _, name := range slices.Sorted(maps.Keys(names)) {
		sorted = append(sorted, leaf(name))
	}

	var b strings.Builder
	from := ` from "` + module + `";`
	braces("import {", sorted, "}").write(&b, "", 0, len(from))
	b.WriteString(from + "\n\nexport default ")
	declaration.write(&b, "", 0, 1)
	b.WriteString(";\n")
	return []byte(b.String())
}

func collectionOf(c *schema.Collection) expr {
	var m members
	m.text("name", c.Name)
	if c.Label != c.Name {
		m.text("label", c.Label)
	}
	if c.Visibility != schema.VisibilityPrivate {
		m.text("visibility", string(c.Visibility))
	}
	m.text("titleField", c.TitleField)
	m.text("path", c.Path)
	m.text("guidance", c.Guidance)
	if len(c.Policy) > 0 {
		rules := make([]expr, len(c.Policy))
		for i, r := range c.Policy {
			rules[i] = ruleOf(r)
		}
		m.add("policy", array(rules))
	}
	fields := fieldsOf(c.Fields, c)
	fields.broken = len(fields.items) > 0
	m.add("fields", fields)

	e := call(string(c.Kind), nil, m)
	e.broken = true
	return e
}

func ruleOf(r schema.Rule) expr {
	var args []expr
	var m members
	switch r.Kind {
	case schema.RuleLength:
		args = []expr{leaf(quote(r.Field))}
		m.count("min", r.Min)
		m.count("max", r.Max)
		m.flag("words", r.Words)
	case schema.RuleRequired:
		args = []expr{array(quoted(r.Fields))}
	case schema.RuleBannedTerms:
		args = []expr{array(quoted(r.Terms))}
		m.texts("fields", r.Fields)
	}
	m.text("reason", r.Reason)
	return call("rule."+string(r.Kind), args, m)
}
