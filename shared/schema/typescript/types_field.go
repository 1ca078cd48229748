package typescript

import (
	"svc/shared/schema"
)

// member is a member of an interface.
type member struct {
	optional bool
	kind     string
}

// interfaceOf declares an interface with a member for every field.
func (w *typeWriter) interfaceOf(name string, fields schema.Fields, memberOf func(*schema.Field) member) {
	if len(fields) == 0 {
		w.b.WriteString("export interface " + name + " {}\n\n")
		return
	}
	w.b.WriteString("export interface " + name + " {\n")
	w.members(fields, memberOf, indentation)
	w.b.WriteString("}\n\n")
}

func (w *typeWriter) members(fields schema.Fields, memberOf func(*schema.Field) member, indent string) {
	for _, f := range fields {
		w.b.WriteString(comment(indent, f.Label, f.Description))
		m := memberOf(f)
		w.b.WriteString(indent + f.Key)
		if m.optional {
			w.b.WriteByte('?')
		}
		w.b.WriteString(": " + m.kind + ";\n")
	}
}

// mayLack reports whether an entry that is valid may have no value stored in a field: with a default it counts as present.
func mayLack(f *schema.Field) bool { return !f.Required || f.Default != nil }

// draft is what a write takes for a field. null leaves a field unset; a slug is derived where it is missing.
func (w *typeWriter) draft(f *schema.Field, base string) member {
	m := member{mayLack(f) || f.Type == schema.TypeSlug, w.typeOf(f, base, true)}
	if f.Localized && !w.locales.None() {
		if m.optional {
			m.kind = "LocalizedDraft<" + m.kind + ">"
		} else {
			m.kind = "RequiredLocalizedDraft<" + m.kind + ">"
		}
	}
	if m.optional {
		m.kind += " | null"
	}
	return m
}

// published is a field of a read without a locale.
func (w *typeWriter) published(f *schema.Field, kind string) member {
	if f.Localized && !w.locales.None() {
		kind = "Localized<" + kind + ">"
	}
	return member{mayLack(f), kind}
}

// resolved is a field of a read with a locale: localized ones are always there.
func (w *typeWriter) resolved(f *schema.Field, kind string) member {
	if f.Localized && !w.locales.None() {
		return member{false, kind + " | null"}
	}
	return member{mayLack(f), kind}
}

// typeOf is the type of one value of a field, in one locale. name is what nested types are called after.
func (w *typeWriter) typeOf(f *schema.Field, parent string, draft bool) string {
	kind := w.scalar(f, parent+pascal(f.Key), draft)
	if f.Multiple {
		return arrayOf(kind)
	}
	return kind
}

func (w *typeWriter) scalar(f *schema.Field, name string, draft bool) string {
	switch f.Type {
	case schema.TypeText:
		if f.Enum != nil {
			members := make([]string, len(f.Enum))
			for i, s := range f.Enum {
				members[i] = quote(s)
			}
			return union(members, indentation)
		}
	case schema.TypeNumber:
		return "number"
	case schema.TypeBoolean:
		return "boolean"
	case schema.TypeDate:
		return "IsoDate"
	case schema.TypeDatetime:
		return "IsoDatetime"
	case schema.TypeJSON:
		return "Json"
	case schema.TypeAsset:
		return "AssetId"
	case schema.TypeReference:
		return "EntryId"
	case schema.TypeRichText:
		return "RichText"
	case schema.TypeList:
		return arrayOf(w.scalar(f.Of, name+"Item", draft))
	case schema.TypeObject:
		return w.nested(f, name, draft)
	case schema.TypeBlocks:
		return arrayOf(w.nested(f, name, draft))
	}
	return "string"
}
