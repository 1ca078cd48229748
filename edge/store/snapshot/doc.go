// Package snapshot reads one project as of one moment: entries and their documents at any release, live sets, and pages of
// rows for package read.
//
// A Reader belongs to one request. It opens an iterator for each Role when that is first needed and keeps it, so that what is
// read next to each other is stepped to and not sought. What it returns stays valid until Close, which gives its memory to the
// reader of another request.
//
// Documents lie in the default order of lists, so those of entries that were published once follow each other. Where entries were
// published again and again, each is looked for, as it is by lists in any other order.
//
// The documents that were live after a release are a roaring bitmap, which is put together from the nearest whole set and the
// deltas behind it, and kept in a SetCache.
package snapshot
