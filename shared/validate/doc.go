// Package validate checks the field values of an entry against its collection (interface, "Collection schema
// definition"). It finds everything wrong at once, and names for each the path, a code (schema.Codes) and what
// would be right. Whether the entries and assets that a value names exist is not its business: value.MentionsIn lists
// them.
//
// A collection's policy (interface, "Policy rules") is another matter than its fields: Entry and Stored never look at it,
// and Policy.Check, which publishing asks, looks at nothing else. A length is that of the text as a reader sees it, an
// unset field has none; a required field is empty where its default locale says nothing; a banned term is looked for in
// what readers see and in what authors wrote; an image needs alt text where it is used or one of its own.
package validate
