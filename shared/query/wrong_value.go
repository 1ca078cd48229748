package query

import (
	"fmt"

	"svc/shared/schema"
)

// wrongValue says what a value of the field would be, for a text that is none.
func wrongValue(f *schema.Field, text string) string {
	if f.Type == schema.TypeNumber && schema.IsNumber(text) {
		if err := schema.CheckNumber(text); err != nil {
			return err.Error()
		}
	}
	return fmt.Sprintf("the field %q takes %s, not %q", f.Key, rightValue[f.Type], shorten(text))
}

var rightValue = map[schema.FieldType]string{
	schema.TypeText:      "text",
	schema.TypeSlug:      "a slug such as hello-world",
	schema.TypeNumber:    "a number such as 12.5",
	schema.TypeBoolean:   "true or false",
	schema.TypeDate:      "a date of the calendar such as 2026-02-28",
	schema.TypeDatetime:  "a datetime with an offset such as 2026-02-28T09:30:00Z, in the years 0000 to 9999",
	schema.TypeReference: "the id of an entry, which begins with ent_",
	schema.TypeAsset:     "the id of an asset, which begins with ast_",
}
