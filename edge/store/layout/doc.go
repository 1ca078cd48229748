// Package layout says how a store's rows are written: their keys (the table of Table, and the methods of Generation), their
// values, and how both are read back.
//
// What happened is stored, not what is. A publish adds a row for the entry under (entry, release) and an unpublish adds an
// empty one, so nothing that a pin reads is ever rewritten, and the state of an entry at release N is its newest row at or
// before N: one seek. TableHead alone knows what is live now; it has one key per live entry, which a republish leaves alone.
// The documents that were live after a release are a set of document numbers: each release stores what it removed, and what
// it added is a range, since numbers are dense; now and then the whole set is stored.
//
// Two things are indexed alike (Space): what is live now, by the numbers of entries, and all documents that ever were, by
// theirs. Values stand in keys so that they sort as they are and tell where they end (AppendValue).
//
// All reading functions check what they read and return Damaged where it is malformed.
package layout
