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
// Guarantees:
//
//   - A change, its position and its part of the state sum are one batch, and readers see it by one pointer swap.
//   - A view is one moment: it reads a Pebble snapshot and the settings and schemas that belong to it. Readers wait
//     neither for writers nor for each other.
//   - Batches are written without waiting for the disk. The write-ahead log keeps their order, so after a crash the
//     store is what it was at some earlier moment, position included, and replication repeats what is missing.
//   - A load builds a new generation beside the old one and replaces it in one batch. What an interrupted load left is
//     deleted at the next start.
//   - Everything can be lost: the directory is a copy. Another layout version starts in a directory of its own.
package store
