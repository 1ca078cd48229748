// Package schema holds what a collection is: its fields with their types and options, its policy, its canonical
// JSON and the hash that names a version (interface, "Collection schema definition").
//
// A Collection comes from Parse or ParseSet and is not changed afterwards: they check everything that can be
// checked without content, and prepare what reading and validation need (compiled patterns, exact bounds). Two
// files that mean the same give the same Canonical bytes and the same Hash. The default of a json or datetime field is a
// value that entries get as it is written, so its spelling is part of the meaning.
package schema

// Collection is the schema of one collection. Name, kind and the fields' keys are its identity; Label is the only
// part that can change without a new version.
type Collection struct {
	Name string
	// Label is the display name; Name where the file gives none.
	Label      string
	Kind       Kind
	Visibility Visibility
	// TitleField is the key of the field that names an entry; empty is none.
	TitleField string
	// Path is the address template of an entry, such as "/blog/{slug}"; empty is none.
	Path string
	// Guidance is the house style that writers and agents read.
	Guidance string
	// Policy is enforced at publish, in this order.
	Policy []Rule
	// Fields are in canonical order.
	Fields Fields

	memory int
}

// Memory is about how many bytes a collection takes that Parse has read, for callers that keep many.
func (c *Collection) Memory() int { return c.memory }

// memoryOf is as measured: fields take most for their length, and steps of patterns for theirs.
func memoryOf(length, patternSteps int) int { return 20*length + 100*patternSteps }

// Rule is one policy rule. Only the members of its kind are set.
type Rule struct {
	Kind RuleKind
	// Field is what a length rule measures.
	Field string
	// Fields are what a required rule lists, or where a bannedTerms rule looks; nil there is everywhere.
	Fields []string
	// Min and Max bound a length in characters, or in words where Words is set; nil is no bound.
	Min, Max *int
	Words    bool
	// Terms are refused by a bannedTerms rule.
	Terms []string
	// Reason is shown with a violation.
	Reason string
}

// Field returns the top-level field with this key, or nil.
func (c *Collection) Field(key string) *Field { return c.Fields.Get(key) }

// SlugField returns the slug field, or nil where there is none.
func (c *Collection) SlugField() *Field {
	for _, f := range c.Fields {
		if f.Type == TypeSlug {
			return f
		}
	}
	return nil
}

// HasSlug reports whether entries have slugs: a collection with a slug field or a path. Without, slugs are null
// and entries are addressed by id. A singleton has none.
func (c *Collection) HasSlug() bool {
	return c.Kind != KindSingleton && (c.Path != "" || c.SlugField() != nil)
}

// SlugSource is the key of the field that a missing slug is derived from: the slug field's "from", else the title
// field, else the slug field itself. It is empty where nothing names a source.
func (c *Collection) SlugSource() string {
	f := c.SlugField()
	switch {
	case !c.HasSlug():
		return ""
	case f != nil && f.From != "":
		return f.From
	case c.TitleField != "":
		return c.TitleField
	case f != nil:
		return f.Key
	}
	return ""
}

// SlugRequired reports whether every entry must have a slug.
func (c *Collection) SlugRequired() bool {
	f := c.SlugField()
	return f != nil && f.Required
}
