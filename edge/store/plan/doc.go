// Package plan plans and runs the lists of a snapshot: plain ones, filtered and ordered ones, at the head and at pins.
//
// There is one engine. An execution takes the sets (roaring bitmaps) of what the filters match, with exact counts (match.go). Then it either
// scans the order of the list and probes each entry in the result, or fetches every match and sorts, whichever costs fewer
// steps by the counts (plan.go). A list without filters is one that everything matches. Orders to scan are:
//
//   - the default order of what is live now: TableHead (scan_head.go)
//   - the default order of a pin: all entries that ever were, each looked up at the pin (scan_pin.go)
//   - the order of a field (scan_field.go): rows in the order of values for what is live now (live_stream.go), or the postings
//     of documents, which are put in order value by value, for pins (past_stream.go); then what has no value (missing.go)
//
// A field that is localized has several sources of values: the locale of the query, the default locale for those that have
// none in it, and values outside of locales (source.go). Each source has a stream, and the streams are merged.
//
// A search reads the sets of its words (search.go), corrected by what was published since words were indexed (recent.go).
//
// Ranges of many values are not put together as sets at first: documents are tested instead. Every way to a page has a budget
// of steps after which another is taken, and lists that may take long wait for each other.
package plan
