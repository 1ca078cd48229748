// Package schema holds what a collection is: its fields with their types and options, its policy, its canonical
// JSON and the hash that names a version (interface, "Collection schema definition").
//
// A Collection comes from Parse or ParseSet and is not changed afterwards: they check everything that can be
// checked without content, and prepare what reading and validation need (compiled patterns, exact bounds). Two
// files that mean the same give the same Canonical bytes and the same Hash. The default of a json or datetime field is a
// value that entries get as it is written, so its spelling is part of the meaning.
package schema
