// Package live holds the newest events of projects in memory, for readers who follow GET /v1/projects/:project/live as server-sent
// events. Package server speaks HTTP for it. The route is none of the contract's; the OpenAPI document describes it.
//
// There is an event for each change in the log of a project. Its id is the sequence number of the change in that log, the same
// on every edge, and its data one line of JSON:
//
//	event: release   a release: its number, its publishedAt, and the tags of its collections and entries
//	event: change    settings, schemas or editorial order changed: the release that reads now answer from, and the tags of what changed
//	event: start     the position at which a reader begins that named no event; nothing changed
//	event: reset     the position from which a reader goes on that may have missed events; its tag is that of the project
//
// Tags are those of shared/read/tags.go. For the entries of a release that are more than 200, the tag of the project stands. A
// deployment of schemas has the tag of the project beside those of the collections, since it changes the list of collections and
// what embeds their entries.
//
// # Guarantees
//
// Order. A reader gets the events after the one that it names (Last-Event-ID) once each, in the order of the log, on any edge.
//
// Visibility. A tag is sent to those who may read its collection at the moment of sending, and to everybody where a deployment took
// the collection from public readers: they hold what they must now drop. An event of which no tag is left is not sent, so ids
// have gaps. Events are sent after the edge's reads show the change.
//
// Gaps. What a reader may have missed is never passed over in silence: it gets a reset, and reads again what it shows. That happens if
// its id is older than what is kept, newer than this edge, or no id, and to all readers of a project whose log the edge loaded again
// from a snapshot. Ids are those of one history of a log. If the database of core was restored to an earlier moment, a number that
// was lost can come again with another change; readers that are connected get a reset then, one that comes back later with
// such an id does not.
//
// Memory. An edge keeps the newest 256 events of a project, and of all projects together so many bytes (Config.Memory); beyond
// that it forgets those of the project that changed longest ago. A reader takes no memory for events that it has not taken yet.
// Nothing is on the disk: after a restart of the edge, readers that name an event get a reset, unless nothing has changed since.
package live
