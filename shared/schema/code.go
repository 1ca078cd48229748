package schema

// Code is the code of one finding about a schema file or an entry: the "code" of an error's list.
type Code string

// The validation codes. They are part of the wire format and never change.
const (
	CodeSyntax        Code = "syntax"           // not JSON as the service takes it
	CodeType          Code = "type"             // a value of another JSON type or form
	CodeRequired      Code = "required"         // missing
	CodeUnknownOption Code = "unknown_option"   // a schema member that does not exist there
	CodeUnknownField  Code = "unknown_field"    // a field that is not declared
	CodeUnknownType   Code = "unknown_type"     // no such field type, kind or policy rule
	CodeUnknownBlock  Code = "unknown_block"    // a block that is not allowed
	CodeUnknownLocale Code = "unknown_locale"   // a locale the project does not have
	CodeUnknownTarget Code = "unknown_target"   // a reference to a collection that is not there
	CodeDuplicate     Code = "duplicate"        // said twice
	CodeKey           Code = "key"              // a malformed key or name
	CodeNotAllowed    Code = "not_allowed"      // right elsewhere, not here
	CodeTooDeep       Code = "too_deep"         // nested deeper than MaxNestingDepth
	CodeTooMany       Code = "too_many"         // more parts than a schema may have
	CodeEmpty         Code = "empty"            // a list that must not be empty
	CodeRange         Code = "range"            // bounds that exclude everything
	CodeMin           Code = "min"              // below min
	CodeMax           Code = "max"              // above max
	CodeInteger       Code = "integer"          // has a fraction
	CodeMinLength     Code = "min_length"       // shorter than minLength
	CodeMaxLength     Code = "max_length"       // longer than maxLength
	CodeMinItems      Code = "min_items"        // fewer than minItems
	CodeMaxItems      Code = "max_items"        // more than maxItems
	CodePattern       Code = "pattern"          // does not match, or no RE2 pattern
	CodeEnum          Code = "enum"             // not one of the allowed values
	CodeDate          Code = "date"             // no calendar date
	CodeDatetime      Code = "datetime"         // no datetime with an offset
	CodeSlug          Code = "slug"             // no slug
	CodeReference     Code = "reference"        // no entry id
	CodeAsset         Code = "asset"            // no asset id
	CodeRichText      Code = "rich_text"        // a tree that breaks the rules of its nodes
	CodePolicy        Code = "policy_violation" // breaks a rule of the collection's policy
)

// Codes lists every validation code.
func Codes() []Code {
	return []Code{
		CodeSyntax, CodeType, CodeRequired, CodeUnknownOption, CodeUnknownField, CodeUnknownType,
		CodeUnknownBlock, CodeUnknownLocale, CodeUnknownTarget, CodeDuplicate, CodeKey, CodeNotAllowed,
		CodeTooDeep, CodeTooMany, CodeEmpty, CodeRange, CodeMin, CodeMax, CodeInteger, CodeMinLength,
		CodeMaxLength, CodeMinItems, CodeMaxItems, CodePattern, CodeEnum, CodeDate, CodeDatetime, CodeSlug,
		CodeReference, CodeAsset, CodeRichText, CodePolicy,
	}
}
