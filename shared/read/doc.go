// Package read is the public read: what GET on a project's collections and entries means (interface, "Content read
// API (published side)"), written once for every store and every HTTP server.
//
// A server hands the parts of an HTTP request to Engine.Serve and writes the Response it gets; a store implements
// Store and View. Serve goes through named steps, one file each:
//
//	project    open one view of the store; it answers everything below
//	CORS       which origins may read the answer
//	authorise  public switch, key, private collections
//	parse      the query string, strictly (package query)
//	freshness  svc-min-release
//	pin        what the parameter at means; without it, the release that the project is pinned to
//	select     rows of the store: by slug, by id, or a list with filters and an order
//	shape      JSON, byte for byte the same on every node
//	finish     ETag, conditions, coding, headers
//
// # Guarantees
//
// One answer comes from one view, so it never mixes releases. Equal content gives equal bytes and equal ETags on
// every node, and the same ETag after a release that changed something else. A failed read is never cacheable. What
// a node cannot know yet it does not guess: an edge waits for it, or lets core answer.
//
// # Filters and orders
//
// They are bound to the schema and locales of what is read (query.Bind), and compare what a reader in the requested locale sees,
// without one what a reader in the default locale does. Package query says what matches and which key a value has; CompareKeys
// is the order of rows. Scan is all of that done by looking at every row. A store that answers from indexes must select the same
// rows, and package readtest holds it to that.
//
// A cursor continues behind a key, whether or not its row is still there, so no row is skipped or repeated that did not change
// meanwhile. It takes up to 256 bytes of a text. For a longer one it has a hash too, and the whole text is looked for among the
// published revisions of the row's entry: those are kept, also when the row has another text by now. So stores never see a
// part of a key.
//
// # Schemas that change
//
// Stored revisions stay what they were; a read shows them through a frame, the schema and locales in force at what it
// reads. At the head that is what was deployed last, at a release what that release was published under, also where it is
// the newest one. So:
//
//   - Fields, nested ones and blocks that the frame does not declare are left out, the rest stands in its order. A value is
//     shown if it is stored under a declared key, whichever version stored it: a field that comes back, by a deployment or
//     by going back to an earlier one, has the values that were not edited meanwhile. That they fit it is checked before a
//     schema is deployed, for everything that is published then, so no head holds a value of a type that the field had
//     before and has no more; a value that fits both types is one of the new type. Defaults are not read into revisions.
//   - What a field held before it was localized is the default locale's value.
//   - Slugs, and whether there is one entry or many, go by the frame too. Where it has no slugs, entries have null and answer
//     to their id alone; the slugs they were published with are theirs again once it has slugs again. A slug field under
//     another key is filled when an entry is published next.
//   - Who may read is live, at every release: visibility is that of the collection in force, and a collection that was removed
//     has nobody left who may read it. It is NOT_FOUND for everybody, with a key and at releases where it existed, until it is
//     deployed again; then its history is there again, and of the releases in between it has nothing.
//   - What can be filtered and ordered by is what the frame declares. A stored value that does not fit the type that its field has
//     there is as none: it comes last, and only ne and exists=false match it. Where the collection did not exist at a pin, the
//     list is empty, whatever it was to be filtered by.
//   - A cursor names a place in the order of a list. It goes on over every deployment, each page under the schema of its moment,
//     or at a release under that release's. No schema decides the default order; the order of a field, and a filter by one, are
//     others once the field's values are of another kind (value.Class), and then the cursor is refused.
//   - An ETag changes when what is shown does, and with nothing else.
package read
