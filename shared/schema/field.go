package schema

import (
	"regexp"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxNestingDepth is how deep objects and lists of objects may lie in one another; a top-level field is at depth 1
// (interface, "Collection schema definition"). Blocks between them do not count; they may lie as deep in one another.
const MaxNestingDepth = 4

// Field is a field of a collection, of an object or of a block, or the item of a list. Only the options of its
// type are set; the zero value of an option is its default.
type Field struct {
	// Key is the immutable identity of the field; it is empty for the item of a list.
	Key         string
	Type        FieldType
	Label       string
	Description string
	Required    bool
	// Localized fields store a map of locale to value. Only top-level fields that are no slug may be.
	Localized bool
	// UI is metadata for editors; nil where there is none. It never affects validation.
	UI *UI

	// Multiline is a hint for editors (text).
	Multiline bool
	// MinLength and MaxLength count Unicode code points (text, markdown); nil is no bound.
	MinLength, MaxLength *int
	// Pattern is an RE2 expression that must match somewhere in the value (text); empty is none.
	Pattern string
	// Enum lists the allowed values (text); nil allows every value.
	Enum []string
	// Integer refuses numbers with a fraction (number).
	Integer bool
	// Min and Max are inclusive bounds in text form: a number, a date, or a datetime in UTC; empty is no bound.
	Min, Max string
	// Default is the value an entry gets at creation when it has none, as compact JSON; nil is none.
	Default jsontext.Value

	// Multiple fields store an array of ids (asset, reference).
	Multiple bool
	// Allowed lists the MIME families, sorted, such as "image/*" (asset); nil allows every type.
	Allowed []string
	// To is the name of the target collection (reference).
	To string
	// From is the key of the field a missing slug is derived from (slug); see Collection.SlugSource.
	From string

	// Of describes the items (list).
	Of *Field
	// MinItems and MaxItems bound the number of items (list, blocks); nil is no bound.
	MinItems, MaxItems *int
	// Fields are the nested fields in canonical order (object).
	Fields Fields
	// Blocks are the allowed blocks, the option "allowed" (blocks).
	Blocks []*Block

	pattern  *regexp.Regexp
	enum     map[string]bool // of Enum
	min, max bound
}

// bound is a parsed Min or Max; only the member of the field's type is set.
type bound struct {
	number *apd.Decimal
	time   time.Time
}

// UI is metadata for editors (interface, "Common field options").
type UI struct {
	Widget, Placeholder, HelpText, Group string
	Hidden                               bool
}

// Block is one kind of block that a blocks field allows. A value of it is {"type": Key, "fields": {…}}.
type Block struct {
	Key    string
	Label  string
	Fields Fields
}

// Fields is an ordered set of fields with distinct keys.
type Fields []*Field

// Index returns the position of the field with this key, or -1.
func (fs Fields) Index(key string) int {
	for i, f := range fs {
		if f.Key == key {
			return i
		}
	}
	return -1
}

// Get returns the field with this key, or nil.
func (fs Fields) Get(key string) *Field {
	if i := fs.Index(key); i >= 0 {
		return fs[i]
	}
	return nil
}

// Block returns the allowed block with this key, or nil.
func (f *Field) Block(key string) *Block {
	for _, b := range f.Blocks {
		if b.Key == key {
			return b
		}
	}
	return nil
}

// Filterable reports whether lists may be filtered by this top-level field: scalar fields, and references and
// assets that hold one id.
func (f *Field) Filterable() bool {
	switch f.Type {
	case TypeReference, TypeAsset:
		return !f.Multiple
	}
	return f.Type.Sortable()
}

// CompareBounds orders two bounds of the field, given as Min and Max are: numbers exactly, dates and datetimes by
// time. Both must be bounds that a field of this type had.
func (f *Field) CompareBounds(a, b string) int {
	switch f.Type {
	case TypeNumber:
		x, errX := ParseNumber(a)
		y, errY := ParseNumber(b)
		if errX == nil && errY == nil {
			return x.Cmp(y)
		}
	case TypeDatetime:
		x, errX := ParseDatetime(a)
		y, errY := ParseDatetime(b)
		if errX == nil && errY == nil {
			return x.Compare(y)
		}
	}
	return strings.Compare(a, b)
}

// MaxSlugLength bounds slugs, in characters.
const MaxSlugLength = 200

// SlugRule says what a slug looks like, in words that follow "must be".
const SlugRule = "lower-case letters a to z and digits, in words joined by single hyphens, at most 200 characters"

// IsSlug reports whether s follows the slug pattern ^[a-z0-9]+(?:-[a-z0-9]+)*$ within MaxSlugLength.
func IsSlug(s string) bool {
	if s == "" || len(s) > MaxSlugLength {
		return false
	}
	hyphen := true // a hyphen may not come next
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			hyphen = false
		case c == '-' && !hyphen:
			hyphen = true
		default:
			return false
		}
	}
	return !hyphen
}
