package typescript

import (
	"strings"

	"svc/shared/schema"
)

// collection writes all types of one collection.
func (w *typeWriter) collection(c *schema.Collection) {
	n := w.of[c.Name]
	w.fieldsOf(c, n.draft, "what a write takes as data", func(f *schema.Field) member {
		return w.draft(f, n.base)
	})
	w.fieldsOf(c, n.fields, "the fields of a published entry, read without a locale", func(f *schema.Field) member {
		return w.published(f, w.typeOf(f, n.base, false))
	})
	w.fieldsOf(c, n.resolved, "the fields of a published entry, read with a locale", func(f *schema.Field) member {
		return w.resolved(f, w.typeOf(f, n.base, false))
	})
	w.includes(c, n.includes, "what include puts in the place of references", false)
	w.includes(c, n.resolvedIncludes, "what include puts in the place of references, read with a locale", true)
	w.entry(c, n.entry, n.fields, n.includes, "a published entry, read without a locale")
	w.entry(c, n.resolvedEntry, n.resolved, n.resolvedIncludes, "a published entry, read with a locale")
	for len(w.waiting) > 0 {
		next := w.waiting[0]
		w.waiting = w.waiting[1:]
		next()
	}
}

// fieldsOf declares an interface with a member for every field.
func (w *typeWriter) fieldsOf(c *schema.Collection, name, what string, memberOf func(*schema.Field) member) {
	w.b.WriteString(comment("", c.Label+": "+what+".", ""))
	w.interfaceOf(name, c.Fields, memberOf)
}

// includes declares the members that references have when they are included. Only top-level ones can be.
func (w *typeWriter) includes(c *schema.Collection, name, what string, resolved bool) {
	var references schema.Fields
	for _, f := range c.Fields {
		if f.Type == schema.TypeReference {
			references = append(references, f)
		}
	}
	w.b.WriteString(comment("", c.Label+": "+what+".", ""))
	w.interfaceOf(name, references, func(f *schema.Field) member {
		to := w.included(f.To, resolved)
		if f.Multiple {
			to = "Array<" + to + ">"
		} else {
			to += " | null"
		}
		if resolved {
			return w.resolved(f, to)
		}
		return w.published(f, to)
	})
}

// included is an entry of a collection in the place of a reference to it.
func (w *typeWriter) included(to string, resolved bool) string {
	n := w.of[to]
	fields := n.fields
	if resolved {
		fields = n.resolved
	}
	return "IncludedEntry<" + n.slug + ", " + fields + ">"
}

func (w *typeWriter) entry(c *schema.Collection, name, fields, includes, what string) {
	w.b.WriteString(comment("", c.Label+": "+what+".", "Include names the references that are included."))
	w.b.WriteString("export type " + name + "<Include extends keyof " + includes + " = never> = Entry<\n")
	for _, argument := range []string{quote(c.Name), w.of[c.Name].slug} {
		w.b.WriteString(indentation + argument + ",\n")
	}
	w.b.WriteString(indentation + "WithIncluded<" + strings.Join([]string{fields, includes, "Include"}, ", ") + ">\n>;\n\n")
}

// slugOf is the type of the slug of a collection's entries.
func slugOf(c *schema.Collection) string {
	switch {
	case !c.HasSlug():
		return "null"
	case c.SlugRequired():
		return "string"
	}
	return "string | null"
}
