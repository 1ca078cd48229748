// Package bitmap keeps sets of the numbers of entries or documents, as rows that Pebble merges and as sets that queries
// intersect.
//
// A number is cut into a chunk and a place within it (Chunking). A row holds the part of a set that lies in one chunk, a
// Block, in the shortest of three forms: a list, runs, or the whole block. A release writes an operand of some bytes: the
// numbers that come in, and those that go out. The merge operator (NewMerger) puts operands together when rows are read or
// compacted; the newest that names a number counts.
//
// A query works on Sets, whose blocks a Pool lends for as long as the query lasts. Live sets and ranges that are kept between
// queries are roaring bitmaps.
package bitmap
