package index

import (
	"iter"

	"svc/shared/schema"
	"svc/shared/value"
)

// Names are those of the definitions that a schema brings.
func Names(c *schema.Collection) iter.Seq[Name] {
	return func(yield func(Name) bool) {
		for _, f := range c.Fields {
			for _, name := range []Name{ValuesOf(f), TermsOf(f), TargetsOf(f)} {
				if name.Class != value.ClassNone && !yield(name) {
					return
				}
			}
		}
	}
}

// ValuesOf is the name under which a field's values are indexed; its class is value.ClassNone where the field is not scalar.
func ValuesOf(f *schema.Field) Name { return Name{Field: f.Key, Class: value.ClassOf(f)} }

// TermsOf is the name under which a field's texts are indexed; its class is value.ClassNone where the field holds none.
func TermsOf(f *schema.Field) Name { return shaped(f, ClassTerms, textual) }

// TargetsOf is the name under which a field's references are indexed; its class is value.ClassNone where the field holds none.
func TargetsOf(f *schema.Field) Name { return shaped(f, ClassTargets, referring) }

func shaped(f *schema.Field, class value.Class, leaf func(*schema.Field) *schema.Field) Name {
	reduced := reduce(f, leaf)
	if reduced == nil {
		return Name{}
	}
	reduced.Key = f.Key
	reduced.Localized = f.Localized && IsAmbiguous(f)
	return Name{Field: f.Key, Class: class, Shape: string((&schema.Collection{Name: "shape", Fields: schema.Fields{reduced}}).Canonical())}
}

// fieldOf is the field of a shape; nil where it is none.
func fieldOf(shape string) *schema.Field {
	c, err := schema.Parse([]byte(shape))
	if err != nil || len(c.Fields) != 1 {
		return nil
	}
	return c.Fields[0]
}

// IsAmbiguous reports whether the locales in force decide if a stored value of the field, once it is localized, is a map of
// locales or one value: see value.Locales.IsMap. Such values are indexed as both.
func IsAmbiguous(f *schema.Field) bool {
	return f.Type == schema.TypeObject || f.Type == schema.TypeJSON
}

// reduce leaves of a field what decides which leaves its values have. It is nil where they have none of those that are wanted.
func reduce(f *schema.Field, leaf func(*schema.Field) *schema.Field) *schema.Field {
	out := &schema.Field{Type: f.Type}
	switch f.Type {
	case schema.TypeList:
		if out.Of = reduce(f.Of, leaf); out.Of == nil {
			return nil
		}
	case schema.TypeObject:
		out.Fields = reduceAll(f.Fields, leaf)
		if len(out.Fields) == 0 {
			return nil
		}
	case schema.TypeBlocks:
		for _, b := range f.Blocks {
			if fields := reduceAll(b.Fields, leaf); len(fields) > 0 {
				out.Blocks = append(out.Blocks, &schema.Block{Key: b.Key, Fields: fields})
			}
		}
		if len(out.Blocks) == 0 {
			return nil
		}
	default:
		return leaf(f)
	}
	return out
}

func reduceAll(fields schema.Fields, leaf func(*schema.Field) *schema.Field) (out schema.Fields) {
	for _, f := range fields {
		if r := reduce(f, leaf); r != nil {
			r.Key = f.Key
			out = append(out, r)
		}
	}
	return out
}

func textual(f *schema.Field) *schema.Field {
	switch f.Type {
	case schema.TypeText, schema.TypeSlug: // a slug is a text here
		return &schema.Field{Type: schema.TypeText}
	case schema.TypeMarkdown, schema.TypeRichText, schema.TypeJSON:
		return &schema.Field{Type: f.Type}
	}
	return nil
}

func referring(f *schema.Field) *schema.Field {
	switch f.Type {
	case schema.TypeReference:
		return &schema.Field{Type: f.Type, Multiple: f.Multiple, To: "any"}
	case schema.TypeRichText:
		return &schema.Field{Type: f.Type}
	}
	return nil
}
