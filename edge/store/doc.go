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
//     neighbours that lie together, at every release: see cluster.
//   - A release is a set of document numbers: each stores what it removed (what it added is a range, since numbers are
//     dense), with the whole set every so often.
//
// Schemas change without touching a document. A deployment adds a row to TableVersion and moves the collection's, in the
// batch of its position; documents, slugs, ranks, live sets and clusters are those of entries, not of a schema, and package
// read shows them through the schema of the moment or of a release. A collection that was removed keeps all of its rows, and
// releases and ranks go on to be written there, so one that comes back has its history, and the state sum counts its entries
// throughout, as core's does.
//
// What a schema does decide is which values can be filtered and ordered by. An index belongs to a definition: the field's key
// and the class of its values (value.Class). Whether the field is localized is no part of it: values are filed by the locale
// they stand in, or as standing outside of any, and a read takes what its frame makes of them. A definition has a number of
// its own, never used again, so a field that comes back with another type shares no key with what it was. Every release writes
// all definitions that any schema ever brought. Those of fields that are gone cost nothing, since documents have no values of
// them, and one that comes back is complete.
//
// A deployment with a new definition only notes it, as not built. From then on releases write it; what was published before
// the builder files, in small batches that say how far they came, each made while no release is (build.go). The last one marks
// it built. The meta of a view says which definitions are built at its moment, and a query on any other looks at all documents
// that are live (scan.go), so no answer is made from half an index. Loads build everything before they are seen.
//
// Two things are filed alike (layout_index.go). What is live now, by the numbers of entries: a republish writes only values
// that changed, so lists are as fast after ten thousand of them. And all documents that ever were, by their numbers, to
// which releases only add: what was live at a pin is picked from them by the live set of its release. Sets of numbers are rows
// that Pebble merges (merge.go), so a release writes some bytes to each. What is live now also lies in the order of its
// values; what pins read is put in order when it is read.
//
// Whoever publishes an entry is likely to publish it again soon. So what a release has to know of entries and clusters is
// remembered from those before, as long as the log goes on being written (recent.go, known_clusters.go): a republish looks for
// the former document alone, by its key, and for sets that it takes a number out of.
//
// A query first takes the sets of what its filters match, with exact counts. Then it walks an order and tests what it
// meets, or looks at every match, whichever is less by the counts; ranges of many values are tested by documents until that
// gets too much, and what was put together of them is kept with the live sets (find.go). Every way has a budget of steps,
// after which another is taken, and those that may take long wait for each other.
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
