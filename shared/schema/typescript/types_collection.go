package typescript

import (
	"slices"

	"svc/shared/schema"
)

// collection writes all types of one collection.
func (w *typeWriter) collection(c *schema.Collection) {
	base := w.of[c.Name].base
	w.fieldsOf(c, base+"Draft", "what a write takes as data", c.Fields, func(f *schema.Field) member { return w.draft(f, base) })
	w.fieldsOf(c, base+"Fields", "the fields of a published entry, read without a locale", c.Fields, func(f *schema.Field) member {
		return w.published(f, w.typeOf(f, base, false))
	})
	w.fieldsOf(c, base+"Resolved", "the fields of a published entry, read with a locale", c.Fields, func(f *schema.Field) member {
		return w.resolved(f, w.typeOf(f, base, false))
	})
	references := slices.DeleteFunc(slices.Clone(c.Fields), func(f *schema.Field) bool { return f.Type != schema.TypeReference })
	w.fieldsOf(c, base+"Includes", "what include puts in the place of references", references, func(f *schema.Field) member {
		return w.published(f, w.included(f, "Fields"))
	})
	w.fieldsOf(c, base+"ResolvedIncludes", "what include puts in the place of references, read with a locale", references, func(f *schema.Field) member {
		return w.resolved(f, w.included(f, "Resolved"))
	})
	w.entry(c, "Entry", "Fields", "Includes", "a published entry, read without a locale")
	w.entry(c, "ResolvedEntry", "Resolved", "ResolvedIncludes", "a published entry, read with a locale")
	for len(w.waiting) > 0 {
		next := w.waiting[0]
		w.waiting = w.waiting[1:]
		next()
	}
}

// fieldsOf declares an interface with a member for every one of some fields.
func (w *typeWriter) fieldsOf(c *schema.Collection, name, what string, fields schema.Fields, memberOf func(*schema.Field) member) {
	w.b.WriteString(comment("", c.Label+": "+what+".", ""))
	w.interfaceOf(name, fields, memberOf)
}

// included is what stands in the place of a reference that is included, with the fields of the type of this suffix.
func (w *typeWriter) included(f *schema.Field, fields string) string {
	to := w.of[f.To]
	entry := "IncludedEntry<" + to.slug + ", " + to.base + fields + ">"
	if f.Multiple {
		return "Array<" + entry + ">"
	}
	return entry + " | null"
}

func (w *typeWriter) entry(c *schema.Collection, suffix, fields, includes, what string) {
	of := w.of[c.Name]
	includes = of.base + includes
	w.b.WriteString(comment("", c.Label+": "+what+".", "Include names the references that are included."))
	w.b.WriteString("export type " + of.base + suffix + "<Include extends keyof " + includes + " = never> = Entry<\n")
	w.b.WriteString(indentation + quote(c.Name) + ",\n" + indentation + of.slug + ",\n")
	w.b.WriteString(indentation + "WithIncluded<" + of.base + fields + ", " + includes + ", Include>\n>;\n\n")
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
