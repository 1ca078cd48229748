// Package value reads and rewrites the field values of an entry: strict intake of JSON from outside, the stored
// form, what is written of it for a reader (Output), scalars that filters and orders compare, the ids an entry mentions, and the
// text that its readers see.
//
// # Forms
//
// Intake turns JSON from outside into compact form: no white space, strings with the fewest escapes, numbers with
// their text, members in the order they came. Every other function takes compact form and says so when it meets
// something else. Canonical turns it into the stored form of a collection: members in schema order at every level,
// nothing unset, locale maps ordered by code, undeclared members left out.
//
// # Text
//
// What a reader sees of a value (Leaf.Read) is text without syntax: markdown as the page it becomes, without link targets
// and hidden HTML; richText without marks and attributes. Searches look at it text by text (Texts), each paragraph, heading and
// table cell apart. Words are runs between white space, and single characters in
// Chinese and Japanese (CountWords); a term is found where it stands as words of its own, in either case (Text.Holds).
//
// # Keys
//
// The key of a value is bytes that compare as the values of its class do (KeyOf, Coerce): filters and orders need nothing else,
// and indexes and cursors store it. Keys of numbers are exact. The encoding is part of what edges keep on disk and of cursors.
//
// # Paths
//
// A path names a value by members and positions from the root of an entry: "fields.sections[2].fields.title", or
// "fields.title.de" for one locale of a localized field.
package value
