// Package index writes the indexes of fields, by which lists are filtered and ordered.
//
// An index belongs to a Definition: a field's key and the class of its values (value.Class). Whether the field is localized is
// no part of it: values are written under the locale they stand in, or as standing outside of any, and a read takes what its
// frame makes of them. A definition has a number that is never used again, so a field that comes back with another type shares
// no key with what it was. Every release writes all definitions that any schema ever brought; those of fields that are gone
// cost nothing, since documents have no values of them, and one that comes back is complete.
//
// A definition that comes with a deployment is not built at first. From then on releases write it; what was published before
// a Pass brings in, in small batches that say how far they came. A load builds all definitions at its end, in one Pass.
//
// What is live now is indexed by the numbers of entries: a Writer compares a document with the one it replaces and writes only
// values that changed. Documents that ever were are indexed by their own numbers, and releases only add to that; what was
// live at a pin is picked by the live set of its release. For each value there is a set of numbers (a posting), and for each
// definition and locale the set of those that have a value (presence). Sets are roaring bitmaps, a row for each 65,536 numbers; a batch
// writes what it changes of a row as an operand, mostly without reading the row. Lists are ordered by package column, from the postings of
// documents.
//
// Texts are indexed by their words and by pairs of words (terms), of which a document has hundreds. So releases leave terms out, and a
// TextPass brings them in for the documents of many releases at once (layout.TextsIndexed); until then a search looks at those
// documents themselves (plan.Recent). Which document has a longer phrase is looked up in its own rows of words, which stand in the
// order of the text.
//
// A further kind of index belongs here: a table in package layout, what a document says in FieldValues, and a call in Writer.move
// and Writer.addPast.
package index
