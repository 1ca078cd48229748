// Package column keeps in memory what lists are ordered by: of each collection that is listed, whose documents are (Documents), and of
// each field that lists order or bound by, which rank each document's value has (Values). So the order of any release is
// read without a row of the database, whichever entries a filter leaves.
//
// Documents are counted in the order of releases and never change, so both only grow. What was known at one release is a beginning of
// what is known later, and a reader of any moment passes over what came since: it names the documents that count.
//
// Values are read from the index of a field when a list first needs them, all documents in their order. Those that come later are put in
// between (late); once there are many, everything is read again. Cache holds both, up to so many bytes; what was used least goes first.
package column
