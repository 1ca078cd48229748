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
//	select     rows of the store
//	shape      JSON, byte for byte the same on every node
//	finish     ETag, conditions, coding, headers
//
// # Guarantees
//
// One answer comes from one view, so it never mixes releases. Equal content gives equal bytes and equal ETags on
// every node, and the same ETag after a release that changed something else. A failed read is never cacheable. What
// a node cannot know yet it does not guess: an edge waits for it, or lets core answer.
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
//   - A cursor names a place in the order of a list, which no schema decides. It goes on over every deployment, each page under
//     the schema of its moment, or at a release under that release's.
//   - An ETag changes when what is shown does, and with nothing else.
package read
