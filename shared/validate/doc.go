// Package validate checks the field values of an entry against its collection (interface, "Collection schema
// definition"). It finds everything wrong at once, and names for each the path, a code (schema.Codes) and what
// would be right. Whether the entries and assets that a value names exist is not its business: value.References and
// value.AssetUses list them.
package validate
