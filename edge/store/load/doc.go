// Package load brings a whole log into a generation of its own, and adds up what a generation holds.
//
// A Load writes entries and documents as they come, in runs: rows are collected, sorted, and handed to Pebble as tables, which
// go around its log and its memtables. Finish then passes over what came out and makes the rest: the indexes of
// fields and the default order (index.go), and the state sum (sum.go). The generation is not read before its log is made to lead to it, which is the caller's part.
package load
