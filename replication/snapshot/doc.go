// Package snapshot writes the whole of a log to object storage and reads it back, so that an edge far behind, or a
// new one, starts from there and takes only the changes since from the log.
//
// A snapshot of a project's log has three kinds of parts, loaded in this order:
//
//   - the state: every version of the project's settings, oldest first, then every schema deployment, in order;
//   - segments: closed ranges of releases, ascending, about 64 MB each before compression. They are written once,
//     recorded, and shared by all later snapshots. A segment begins one after the end of the one before;
//   - the tail: the releases that no segment has yet, then the editorial ranks in force.
//
// A snapshot of an organization's log has a state only: the organization, then all its keys, revoked ones too.
//
// A part is a zstd stream of recordpb.Framed messages, each behind its length (record.WriteFrame). A manifest
// (recordpb.Manifest) names the parts with their SHA-256, and the position and state hash they lead to; the object
// "latest" names the newest manifest.
//
// Guarantees:
//
//   - A manifest exists only after all its parts; latest names it only after it exists, and moves to a greater
//     (epoch, sequence) only.
//   - All that a snapshot holds belongs to one position of the log: it is read in one transaction.
//   - Objects carry a hash of their content in their names, so two writers never overwrite each other's, and a name
//     never changes its meaning.
//   - The newest three snapshots stay complete; parts of older ones are deleted, so a reader that is slower than two
//     later snapshots meets NOT_FOUND and starts again.
//   - What counts as written has been read back: every object, before the snapshot is recorded. Changes are deleted only
//     below a snapshot of which every object was just read.
//   - Where an object of a snapshot is gone, or its bytes are not those that were written, the log's snapshots are written again
//     from nothing: with the next snapshot, when an edge that could not load it asks core for one beyond it, or when an
//     operator has it written.
//   - Writing and reading hold one release at a time in memory, and read one ahead.
package snapshot
