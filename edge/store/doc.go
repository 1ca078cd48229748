// Package store keeps published content on an edge's disk, in Pebble, and answers public reads from it. It implements
// read.Store and read.Keys for the server and follow.Applier for replication.
//
// It is put together of packages that import only those above them:
//
//	layout    keys and values of rows, and how they are read
//	index     indexes of fields: definitions, what a document says, and how that is written
//	snapshot  one moment of a project: entries, documents, live sets, pages of rows
//	column    ranks of values in memory, by which lists are ordered
//	plan      lists, plain and filtered, at the head and at pins
//	write     changes, as rows
//	load      whole logs, and the state sum
//
// What is left here is the database itself: opening and closing it, its disk (disk.go, reserve.go, positions.go), its share of
// memory (memory.go), the projects that are in memory (project_state.go, meta.go, sweep.go), the views of them (open.go, view.go,
// lookup.go, referred.go), and when changes, loads and builds of indexes are committed and shown (apply.go, load.go, drop.go, build.go,
// texts.go).
//
// Schemas change without touching a document. A deployment adds a row to TableVersion and moves the collection's, in the
// batch of its position; documents, slugs, ranks, and live sets are those of entries, not of a schema, and package
// read shows them through the schema of the moment or of a release. A collection that was removed keeps all of its rows, and
// releases and ranks go on to be written there, so one that comes back has its history, and the state sum counts its entries
// throughout, as core's does.
//
// A deployment with a new index definition only notes it, as not built. The meta of a view says which definitions are built
// at its moment, and a list that needs another one looks at all documents that are live, so no answer is made from half an
// index.
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
