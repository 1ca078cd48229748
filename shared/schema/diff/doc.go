// Package diff compares two sets of collections and says what deploying the second over the first would do
// (interface, "Schema deployment semantics"). It looks at schemas only; whether content fits the new ones is for
// the caller to check.
//
// The plan is deterministic: collections by name, then what concerns the collection itself, then its fields by
// path, each with its operations in the order of Kinds. A plan is empty exactly when every collection has the
// hash and the label it had.
package diff
