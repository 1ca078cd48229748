package schema

// Kind says how many items a collection holds.
type Kind string

// The kinds of a collection. A singleton holds exactly one item and has no slug.
const (
	KindCollection Kind = "collection"
	KindSingleton  Kind = "singleton"
)

// Kinds lists every kind.
func Kinds() []Kind { return []Kind{KindCollection, KindSingleton} }

// Visibility says who may read the published entries of a collection.
type Visibility string

// The visibilities of a collection. Private is the default: a read then needs a key with content:read.
const (
	VisibilityPrivate Visibility = "private"
	VisibilityPublic  Visibility = "public"
)

// Visibilities lists every visibility.
func Visibilities() []Visibility { return []Visibility{VisibilityPrivate, VisibilityPublic} }

// FieldType is the type of a field or of a list's items.
type FieldType string

// The field types of the interface.
const (
	TypeText      FieldType = "text"
	TypeNumber    FieldType = "number"
	TypeBoolean   FieldType = "boolean"
	TypeDate      FieldType = "date"
	TypeDatetime  FieldType = "datetime"
	TypeMarkdown  FieldType = "markdown"
	TypeJSON      FieldType = "json"
	TypeAsset     FieldType = "asset"
	TypeReference FieldType = "reference"
	TypeSlug      FieldType = "slug"
	TypeList      FieldType = "list"
	TypeObject    FieldType = "object"
	TypeRichText  FieldType = "richText"
	TypeBlocks    FieldType = "blocks"
)

// FieldTypes lists every field type, in the order of the interface.
func FieldTypes() []FieldType {
	return []FieldType{
		TypeText, TypeNumber, TypeBoolean, TypeDate, TypeDatetime, TypeMarkdown, TypeJSON, TypeAsset,
		TypeReference, TypeSlug, TypeList, TypeObject, TypeRichText, TypeBlocks,
	}
}

// ItemTypes lists the types a list's items may have: no slug, no list, no richText and no blocks.
func ItemTypes() []FieldType {
	return []FieldType{
		TypeText, TypeNumber, TypeBoolean, TypeDate, TypeDatetime, TypeMarkdown, TypeJSON, TypeReference,
		TypeAsset, TypeObject,
	}
}

// Sortable reports whether lists may be ordered by fields of this type.
func (t FieldType) Sortable() bool {
	switch t {
	case TypeText, TypeNumber, TypeBoolean, TypeDate, TypeDatetime, TypeSlug:
		return true
	}
	return false
}

// HasText reports whether values of this type can hold text that a reader reads, at some depth. It is what a length
// rule measures.
func (t FieldType) HasText() bool {
	switch t {
	case TypeText, TypeMarkdown, TypeSlug, TypeList, TypeObject, TypeRichText, TypeBlocks:
		return true
	}
	return false
}

// RuleKind is the kind of a policy rule.
type RuleKind string

// The policy rules of the interface.
const (
	RuleLength      RuleKind = "length"
	RuleRequired    RuleKind = "required"
	RuleBannedTerms RuleKind = "bannedTerms"
	RuleAltText     RuleKind = "altText"
)

// RuleKinds lists every rule kind.
func RuleKinds() []RuleKind {
	return []RuleKind{RuleLength, RuleRequired, RuleBannedTerms, RuleAltText}
}
