package schematest

import (
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"svc/shared/schema"
)

// Variant makes a valid file that differs from this one in some places, as the next state of a collection does: fields
// come and go, change their options and, now and then, their type.
func (f *File) Variant(t *rapid.T) *File {
	fields := object{ordered: true}
	for _, m := range f.root.get("fields").(object).members {
		if m.key != "slug" {
			fields.members = append(fields.members, m)
		}
	}
	c := f.character
	switch rapid.IntRange(0, 19).Draw(t, "character") {
	case 0:
		c.singleton = !c.singleton
	case 1:
		c.public = !c.public
	case 2:
		c.slug = !c.slug
	}
	return build(t, varied(t, fields, 1, true), c)
}

// rarely is true about once in n times.
func rarely(t *rapid.T, n int, what string) bool {
	return rapid.IntRange(0, n-1).Draw(t, what) == n-1
}

// varied changes some of a set of fields.
func varied(t *rapid.T, fields object, depth int, top bool) object {
	out := object{ordered: true}
	for _, m := range fields.members {
		switch {
		case rarely(t, 12, "drop"):
		case rarely(t, 12, "from nothing"):
			out.set(m.key, field(t, depth, top))
		case rarely(t, 2, "vary"):
			out.set(m.key, variant(t, m.value.(object), depth, top))
		default:
			out.set(m.key, m.value)
		}
	}
	if rarely(t, 4, "add") {
		out.set("more_"+strconv.Itoa(len(out.members)), field(t, depth, top))
	}
	if rarely(t, 4, "reorder") {
		out.members = rapid.Permutation(out.members).Draw(t, "fields in order")
	}
	return out
}

// variant changes options of a field, of its nested fields or of its items.
func variant(t *rapid.T, f object, depth int, top bool) object {
	kind := kindOf(f)
	fresh := fieldOf(t, kind, depth, top) // with other options
	out := object{defaults: fresh.defaults}
	for _, m := range fresh.members {
		switch m.key {
		case "localized", "to":
			continue
		case "of":
			of := f.get("of").(object)
			if rarely(t, 2, "items") {
				of = item(t, of, depth)
			}
			m.value = of
		case "fields":
			m.value = varied(t, f.get("fields").(object), depth+1, false)
		case "allowed":
			if kind == schema.TypeBlocks {
				m.value = variedBlocks(t, f.get("allowed").(list), depth+1)
			}
		}
		out.members = append(out.members, m)
	}
	for _, key := range []string{"localized", "to"} {
		if v := f.get(key); v != nil {
			out.set(key, v)
		}
	}
	if top && rarely(t, 8, "localize") {
		out.members = slices.DeleteFunc(out.members, func(m option) bool { return m.key == "localized" })
		if f.get("localized") == nil {
			out.set("localized", "true")
		}
	}
	out.defaults = slices.DeleteFunc(slices.Clone(out.defaults), func(d option) bool { return out.get(d.key) != nil })
	return out
}

func kindOf(f object) schema.FieldType {
	kind, err := strconv.Unquote(f.get("type").(string))
	if err != nil {
		panic("schematest: " + err.Error())
	}
	return schema.FieldType(kind)
}

// item changes the items of a list, but for their type.
func item(t *rapid.T, of object, depth int) object {
	out := object{}
	if kind := kindOf(of); kind != schema.TypeObject {
		options(t, &out, kind, depth, true)
		return out
	}
	out.set("type", `"object"`)
	out.set("fields", varied(t, of.get("fields").(object), depth+1, false))
	return out
}

func variedBlocks(t *rapid.T, blocks list, depth int) list {
	var out list
	for _, b := range blocks {
		was := b.(object)
		now := object{}
		now.set("key", was.get("key"))
		choose(t, &now, "label", `""`, `"Block"`)
		now.set("fields", varied(t, was.get("fields").(object), depth, false))
		out = append(out, now)
	}
	switch {
	case len(out) > 1 && rarely(t, 6, "drop a block"):
		out = out[1:]
	case rarely(t, 6, "add a block"):
		b := object{}
		b.set("key", strconv.Quote("more_"+strconv.Itoa(len(out))))
		b.set("fields", nested(t, depth))
		out = append(out, b)
	case rarely(t, 6, "reorder blocks"):
		slices.Reverse(out)
	}
	return out
}
