// Package store keeps published content on an edge's disk, in Pebble, and answers public reads from it. It implements
// read.Store and read.Keys for the server and follow.Applier for replication.
//
// How it is laid out is the table in layout.go. The ideas behind:
//
//   - What happened is stored, not what is: a publish adds a row for the entry under (entry, release) and an unpublish
//     adds an empty one, so nothing that a pin reads is ever rewritten, and the state of an entry at release N is its
//     newest row at or before N: one seek.
//   - Only the head index knows what is live now. It has one key per live entry, which a republish leaves alone.
//   - What was published again and again has its documents scattered among its own former ones. Lists read copies of
//     neighbours that lie together, at every release: see sheet.
//   - A release is a set of document numbers: each stores what it removed (what it added is a range, since numbers are
//     dense), with the whole set every so often.
//
// Schemas change without touching a document. A deployment adds a row to tableVersion and moves the collection's, in the
// batch of its position; documents, slugs, ranks, live sets and sheets are those of entries, not of a schema, and package
// read shows them through the schema of the moment or of a release. A collection that was removed keeps all of its rows, and
// releases and ranks go on to be written there, so one that comes back has its history, and the state sum counts its entries
// throughout, as core's does.
//
// What a schema does decide is which values can be filtered and ordered by. Indexes of fields, for which 0x30 to 0x35 are
// reserved, are to hang on that as follows. An index belongs to a definition, which is what decides its keys: the field's
// key, its type and whether it is localized. Every definition gets a number of its own, never used again, so a field that is
// removed and comes back with another type shares no key with what it was, and one that comes back as it was finds its index.
// A release writes the postings of every definition that the schema in force has, in its batch. A deployment with a new
// definition only notes it, as not yet built; a builder then files the published documents, oldest first, in batches that
// say how far they are, and a last one marks it built. Those are rows like others: the meta of a view says which definitions
// are built at its moment, and a query on any other is answered from the documents, or passed to core where there are too many
// of them. So an answer is never made from half an index, and a pin finds those of the schema of its release. Definitions that no
// schema in force has are kept for pins.
//
// Guarantees:
//
//   - A change, its position and its part of the state sum are one batch, and readers see it by one pointer swap.
//   - A view is one moment: it reads a Pebble snapshot and the settings and schemas that belong to it. Readers wait
//     neither for writers nor for each other.
//   - Batches are written without waiting for the disk. The write-ahead log keeps their order, so after a crash the
//     store is what it was at some earlier moment, position included, and replication repeats what is missing.
//   - A load builds a new generation beside the old one and replaces it in one batch. What an interrupted load left is
//     deleted at the next start.
//   - A store opens on a full disk, with room that was set aside, and takes no changes there.
//   - Everything can be lost: the directory is a copy. Another layout version starts in a directory of its own.
package store
