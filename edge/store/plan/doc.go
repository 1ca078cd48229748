// Package plan plans and runs the lists of a snapshot: plain ones, filtered and ordered ones, at the head and at pins.
//
// There is one engine. An execution takes the sets (roaring bitmaps) of what the filters match, with exact counts (match.go), and bounds by
// ranges on fields, as ranks (interval.go). Then it goes along the order of the list until the page is full, or picks the first rows
// from the fewest candidates there are, whichever promises to look at less (order.go). Orders and bounds are read from package column,
// in memory; only the documents that a page shows are read, and those that only their words decide.
//
//   - A field orders by the ranks of its values; the default order of what has no rank of its own is that of ids, backwards, and what was
//     arranged comes before it, as its table has it (default_order.go).
//   - A plain list of what is live now goes along TableHead, without any of this.
//   - Where an index is not built yet, everything is looked at (unindexed.go).
//
// A field that is localized has several sources of values: the locale of the query, the default locale for those that have
// none in it, and values outside of locales (source.go).
//
// A search reads the sets of its words (search.go), corrected by what was published since words were indexed (recent.go).
//
// A walk along an order has a budget of steps, and lists that may take long wait for each other.
package plan
