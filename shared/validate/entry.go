package validate

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/value"
)

// maxItems bounds the findings for one entry; one more says how many were left out.
const maxItems = 200

// Entry checks the field values that someone wrote, as JSON from outside, and returns them in stored form: members
// in schema order, defaults filled in, numbers with their text (see value.Canonical). In a project with locales a localized field
// takes a map of them. With findings there is no stored form. Paths start with "fields".
func Entry(c *schema.Collection, locales value.Locales, fields []byte, fill value.Fill) (jsontext.Value, []fault.Item) {
	compact, err := value.ParseObject(fields, "fields")
	if err != nil {
		return nil, syntaxItems(err)
	}
	k := checker{locales: locales}
	k.object(c.Fields, compact, "fields")
	if items := k.found(); len(items) > 0 {
		return nil, items
	}
	stored, err := value.Canonical(c, locales, compact, fill)
	if err != nil {
		return nil, syntaxItems(err)
	}
	return stored, nil
}

// Stored checks field values in stored form against c, which may be another version than they were written under.
// What c does not declare any more is not looked at, since no reader sees it.
func Stored(c *schema.Collection, locales value.Locales, fields jsontext.Value) ([]fault.Item, error) {
	k := checker{locales: locales, stored: true}
	k.object(c.Fields, fields, "fields")
	return k.found(), k.err
}

// Undeclared finds what c does not declare, in field values in stored form that may be of another version: fields at any depth, and
// blocks. It is what value.Canonical leaves out, but for empty values, and for the slug of the entry where c has slugs: it may have stood
// in another field.
func Undeclared(c *schema.Collection, locales value.Locales, fields jsontext.Value, slug *string) ([]fault.Item, error) {
	k := checker{locales: locales, stored: true, undeclared: true}
	if slug != nil && c.HasSlug() {
		k.slug = `"` + *slug + `"`
	}
	k.object(c.Fields, fields, "fields")
	return k.found(), k.err
}

func syntaxItems(err error) []fault.Item {
	var f *fault.Error
	if errors.As(err, &f) {
		return f.Items
	}
	return []fault.Item{{Path: "fields", Code: string(schema.CodeSyntax), Message: err.Error()}}
}

// checker collects findings.
type checker struct {
	locales value.Locales
	// stored values were accepted before: what is not declared any more is passed over, and a plain value of a localized
	// field is that of the default locale.
	stored     bool
	undeclared bool   // of stored values, only what is not declared any more is looked for
	slug       string // of the entry, quoted; not looked for either

	items []fault.Item
	more  int
	err   error // the values are not in compact form
}

func (k *checker) add(path string, code schema.Code, format string, args ...any) {
	if k.undeclared && code != schema.CodeUnknownField && code != schema.CodeUnknownBlock {
		return
	}
	if len(k.items) == maxItems {
		k.more++
		return
	}
	k.items = append(k.items, fault.Item{Path: path, Code: string(code), Message: fmt.Sprintf(format, args...)})
}

func (k *checker) found() []fault.Item {
	if k.err != nil {
		k.add("fields", schema.CodeSyntax, "%s", k.err)
	}
	if k.more > 0 {
		k.items = append(k.items, fault.Item{
			Path: "fields", Code: string(schema.CodeTooMany), Message: fmt.Sprintf("%d more findings are not listed", k.more),
		})
		k.more = 0
	}
	return k.items
}

// members splits an object; a broken form ends the check.
func (k *checker) members(raw jsontext.Value) []value.Member {
	members, err := value.Members(raw)
	if err != nil {
		k.err = err
	}
	return members
}

func (k *checker) elements(raw jsontext.Value) []jsontext.Value {
	items, err := value.Items(raw)
	if err != nil {
		k.err = err
	}
	return items
}
