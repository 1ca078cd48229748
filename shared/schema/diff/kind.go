package diff

import "slices"

// Kind is the kind of an operation.
type Kind string

// The kinds of operations on a collection.
const (
	CollectionAdded   Kind = "collection_added"
	CollectionRemoved Kind = "collection_removed"
	KindChanged       Kind = "kind_changed"
	MadePublic        Kind = "made_public"
	MadePrivate       Kind = "made_private"
	LabelChanged      Kind = "label_changed"
	TitleFieldChanged Kind = "title_field_changed"
	PathChanged       Kind = "path_changed"
	GuidanceChanged   Kind = "guidance_changed"
	PolicyChanged     Kind = "policy_changed"
	FieldsReordered   Kind = "fields_reordered"
)

// The kinds of operations on a field. LabelChanged and FieldsReordered occur here too.
const (
	FieldAdded          Kind = "field_added"
	FieldRemoved        Kind = "field_removed"
	TypeChanged         Kind = "type_changed"
	ItemTypeChanged     Kind = "item_type_changed"
	Retargeted          Kind = "retargeted"
	LocalizedAdded      Kind = "localized_added"
	LocalizedRemoved    Kind = "localized_removed"
	MadeRequired        Kind = "made_required"
	MadeOptional        Kind = "made_optional"
	MultipleAllowed     Kind = "multiple_allowed"
	MultipleDisallowed  Kind = "multiple_disallowed"
	ConstraintTightened Kind = "constraint_tightened"
	ConstraintLoosened  Kind = "constraint_loosened"
	BlockAdded          Kind = "block_added"
	BlockRemoved        Kind = "block_removed"
	BlocksReordered     Kind = "blocks_reordered"
	EnumReordered       Kind = "enum_reordered"
	SlugSourceChanged   Kind = "slug_source_changed"
	DefaultChanged      Kind = "default_changed"
	DescriptionChanged  Kind = "description_changed"
	UIChanged           Kind = "ui_changed"
	EditorHintChanged   Kind = "editor_hint_changed"
)

var kinds = []Kind{
	CollectionAdded, CollectionRemoved, KindChanged, MadePublic, MadePrivate, LabelChanged, TitleFieldChanged,
	PathChanged, GuidanceChanged, PolicyChanged, FieldsReordered, FieldAdded, FieldRemoved, TypeChanged,
	ItemTypeChanged, Retargeted, LocalizedAdded, LocalizedRemoved, MadeRequired, MadeOptional, MultipleAllowed,
	MultipleDisallowed, ConstraintTightened, ConstraintLoosened, BlockAdded, BlockRemoved, BlocksReordered,
	EnumReordered, SlugSourceChanged, DefaultChanged, DescriptionChanged, UIChanged, EditorHintChanged,
}

// Kinds lists every kind, in the order in which a plan has them.
func Kinds() []Kind { return slices.Clone(kinds) }
