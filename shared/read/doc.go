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
//	pin        the release that the parameter at means; without it, the one that the project is pinned to
//	cache      an edge may have the answer already (Cache)
//	select     rows of the store: by slug, by id, a list with filters, a search and an order, or what refers to an entry
//	shape      JSON, byte for byte the same on every node, with included entries and rendered Markdown
//	finish     ETag, conditions, coding, headers
//
// # Guarantees
//
// One answer comes from one view, so it never mixes releases. Equal content gives equal bytes and equal ETags on
// every node, and the same ETag after a release that changed something else. A failed read is never cacheable. A node never
// guesses what it cannot know yet: an edge waits for it, or lets core answer.
//
// # Answers that are kept
//
// A cached answer is found by everything that was asked and by what the caller's key lets it include; it is used only while each
// collection that it depends on has the version it was made from (View.Version). Authorisation and the pin come before, headers
// after. Refusals are never kept. A caller who wants an answer that is being made waits for it, and makes another one if the view is newer.
//
// # Filters and orders
//
// They are bound to the schema and locales of what is read (query.Bind), and compare what a reader in the requested locale sees,
// or in the default locale if none is requested. Package query defines what matches and which key a value has; CompareKeys is
// the order of rows. A search looks at the texts of an entry (value.Texts), in the requested locale or, unlike filters, in all;
// package search defines what it finds. Scan implements all of that by a scan of every row. A store that answers from indexes must select the same
// rows, which package readtest checks.
//
// A cursor continues after a key, whether or not its row still exists, so no row that did not change meanwhile is skipped or
// repeated. It contains up to 256 bytes of a text. For a longer text it has a hash too, and the whole text is looked up among the
// published revisions of the row's entry: those are kept, even if the row has another text by now. So stores never see a
// partial key.
//
// # Live events
//
// A read of RouteLive makes the head of an answer only: it is opened, authorised and refused like any other, and what follows is the
// server's to send, for as long as Engine.Rights says that the caller may know of it. No route of the contract has it. tags.go says
// how events, and headers for caches, name what changed.
//
// # Included entries and backlinks
//
// An included entry is read at the same pin, under the frame of its own collection, in the same locale and representation; whether
// the caller may read its collection is decided live, and an answer for which a key opened a private one is private. Each is read
// once for an answer, and written wherever it is referred to. What refers to an entry are fields of live entries in collections
// that are public now, read under the frame of the pin; a key makes no difference there.
//
// A page that includes or renders also ends with the entry that brings its body to 4 MiB, ids that were looked up included. One
// entry that includes more than 32 MiB, or whose HTML is larger than that, is PAYLOAD_TOO_LARGE.
//
// # Previews
//
// A read with a preview token, in the query or as the bearer, is answered by core. It goes the same way as any other, from the view
// that Previews.View opens and with the rights of the token's grant; no cache keeps its answer and no release can be named. A key that
// is shown as well must be good. Equal content gives the same body before its release as after it, but for publishedAt.
//
// # Schemas that change
//
// Stored revisions never change; a read shows them through a frame: the schema and locales in force at what it reads. At the
// head that is what was deployed last; at a release, even the newest one, what that release was published under. So:
//
//   - Fields, nested ones and blocks that the frame does not declare are left out, the rest stands in its order. A value is
//     shown if it is stored under a declared key, whichever version stored it: a field that comes back, by a new deployment or
//     a return to an earlier version, has the values that were not edited meanwhile. That published values fit is checked
//     before a schema is deployed, so no head holds a value of a type that the field no longer has; a value that fits both
//     types counts as one of the new type. Reads do not fill defaults into revisions.
//   - What a field held before it was localized is the default locale's value.
//   - Slugs, and whether a collection has one entry or many, follow the frame too. If it has no slugs, entries show null and are
//     found by id only; the slugs they were published with return once the collection has slugs again. A slug field under
//     another key is filled when an entry is published next.
//   - Who may read is decided live, at every release, by the visibility of the collection in force. A collection that was
//     removed is NOT_FOUND for everybody, even with a key and at releases where it existed, until it is deployed again; then
//     its history is back, and it has nothing in the releases in between.
//   - What can be filtered and ordered by is what the frame declares. A stored value that does not fit its field's type there
//     counts as missing: it comes last, and only ne and exists=false match it. If the collection did not exist at a pin, the
//     list is empty, whatever the filters.
//   - A cursor is a position in the order of a list. It stays valid across deployments, each page under the schema of its moment,
//     or at a release under that release's. The default order does not depend on schemas; the order of a field, and a filter by
//     one, change when the field's values get another kind (value.Class), and then the cursor is refused.
//   - An ETag changes when what is shown changes, and only then.
package read
