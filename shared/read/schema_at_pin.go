package read

import (
	"context"
	"slices"
	"strings"

	"svc/shared/fault"
	"svc/shared/query"
	"svc/shared/schema"
)

// readSchemaAtPin reads under which schema and locales the pin stands, and holds the query against them.
func (x *exchange) readSchemaAtPin(ctx context.Context) error {
	frame, err := x.view.Frame(ctx, x.collection.Schema.Name, x.pin.release)
	if err != nil {
		return fault.Wrap(err, "reading the schema in force")
	}
	x.frame = frame
	if l := x.query.Locale; l != "" && !slices.Contains(frame.Locales, l) {
		return fault.Invalid("locale", "%s", unknownLocale(frame.Locales))
	}
	if frame.Schema == nil {
		return nil
	}
	for _, name := range x.query.Fields {
		if frame.Schema.Field(name) == nil {
			return fault.Invalid("fields", "the collection %q has no field %q; it has %s", frame.Schema.Name, query.Shorten(name),
				query.FieldNames(frame.Schema, func(*schema.Field) bool { return true }))
		}
	}
	return x.checkInclude()
}

func unknownLocale(locales []string) string {
	if len(locales) == 0 {
		return "the project has no locales"
	}
	return "is not a locale of the project; it has " + strings.Join(locales, ", ")
}

// slugged reports whether entries answer to slugs at the pin. A collection that gave up its slugs keeps those that were
// published, and entries answer to them again once it has slugs again.
func (x *exchange) slugged() bool { return x.frame.Schema != nil && x.frame.Schema.HasSlug() }

// nothing reports whether the pin lies before the collection, or before everything.
func (x *exchange) nothing() bool { return x.pin.before || x.frame.Schema == nil }
