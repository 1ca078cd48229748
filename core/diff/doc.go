// Package diff compares the stored fields of an entry and merges them, path by path. The diff of a change set, the contention of
// open sets, rebase and revert all use it, so they agree on what a change is. It computes only: values in, values out.
//
// Stored fields are the canonical JSON of a revision (see shared/value). A Frame says how to read them: the fields of a collection
// and the locales of the project.
//
// # Where values divide
//
// A value of type object divides into its members, and a locale map into its locales; every other value is compared whole: arrays
// of lists, blocks and several ids, trees of richText, and json, in which neither the order of members nor the notation of numbers
// counts. Sides of an object divide only where each of them has one, so an object that appears or disappears is one change. A
// locale map may appear or disappear by locale. A plain value of a localized field, written before the project had locales, and a
// map are one change of the whole field. Outside of json, null is as good as absent, and numbers compare as they are written.
//
// Members follow the order of the schema, locales that of their codes. What a schema does not declare comes last, by name, each
// member as one value.
//
// # Two sides and three
//
// Changes lists the differences of two sides, and Apply makes them elsewhere: Apply(frame, before, Changes(frame, before, after))
// is after. Merge walks three sides at once, down to where one of them is no object any more; there it decides between the values,
// so an object that one side clears and in which the other changes a member is one conflict, with whole values. Resolve makes
// fields of its plan.
//
// # Words
//
// Segments compares two texts by word, with the algorithm of Myers. Its search is bounded by a number of steps and not by a clock:
// long texts with little in common get a longer answer than needed, but always the same.
package diff
