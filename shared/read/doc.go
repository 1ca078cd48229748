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
package read
