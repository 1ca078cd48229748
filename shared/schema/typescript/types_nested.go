package typescript

import (
	"svc/shared/schema"
)

// nestedKey names a nested type: the field, in one of its two shapes.
type nestedKey struct {
	field *schema.Field
	draft bool
}

// nested returns the name of the type of an object, or of the blocks that a field allows, and has it declared once.
func (w *typeWriter) nested(f *schema.Field, name string, draft bool) string {
	key := nestedKey{f, draft}
	if taken, ok := w.nestedNames[key]; ok {
		return taken
	}
	suffix := ""
	if draft {
		suffix = "Draft"
	}
	taken := w.names.take(name + suffix)
	w.nestedNames[key] = taken
	w.waiting = append(w.waiting, func() {
		if f.Type == schema.TypeBlocks {
			w.blocks(f, taken, name, draft)
			return
		}
		w.b.WriteString(comment("", f.Label, f.Description))
		w.interfaceOf(taken, f.Fields, w.nestedMember(name, draft))
	})
	return taken
}

// nestedMember is the member of a nested field, which is never localized.
func (w *typeWriter) nestedMember(name string, draft bool) func(*schema.Field) member {
	return func(f *schema.Field) member {
		if draft {
			return w.draft(f, name)
		}
		return w.published(f, w.typeOf(f, name, false))
	}
}

// blocks declares a type for each allowed block and their union, which "type" tells apart.
func (w *typeWriter) blocks(f *schema.Field, taken, name string, draft bool) {
	suffix := ""
	if draft {
		suffix = "Draft"
	}
	types := make([]string, len(f.Blocks))
	for i, b := range f.Blocks {
		types[i] = w.names.take(name + pascal(b.Key) + suffix)
	}
	w.b.WriteString(comment("", f.Label, f.Description))
	w.b.WriteString("export type " + taken + " = " + union(types, "") + ";\n\n")
	for i, b := range f.Blocks {
		w.b.WriteString(comment("", b.Label, ""))
		w.b.WriteString("export interface " + types[i] + " {\n" + indentation + "type: " + quote(b.Key) + ";\n")
		if len(b.Fields) == 0 {
			w.b.WriteString(indentation + "fields: {};\n}\n\n")
			continue
		}
		w.b.WriteString(indentation + "fields: {\n")
		w.members(b.Fields, w.nestedMember(name+pascal(b.Key), draft), indentation+indentation)
		w.b.WriteString(indentation + "};\n}\n\n")
	}
}
