// Package publish is core's side of replication: it sends the logs in the database to the stream, in order and without gaps,
// whatever the stream has lost and however many relays do so at once.
package publish

import (
	"context"
	"hash/fnv"
	"time"

	"svc/replication/record"
)

// Source is the truth: the logs as the database has them. The epoch in every position it returns is the log's epoch
// now.
type Source interface {
	// After returns the log's changes behind a position, oldest first, as far as one reading goes.
	After(ctx context.Context, log string, at record.Position) (Tail, error)
	// Resume returns what to send where the stream has no message of the log: the changes that were not sent as far as
	// anybody remembers, and at least the newest.
	Resume(ctx context.Context, log string) (Tail, error)
	// Newest returns the newest change alone, or none where there is none.
	Newest(ctx context.Context, log string) (Tail, error)
	// Unsent returns the logs that have changes beyond what Sent recorded, looking at those that changed lately.
	Unsent(ctx context.Context) ([]Unsent, error)
	// Sent records how far logs are on the stream.
	Sent(ctx context.Context, seqs map[string]uint64) error
	// Heads returns the newest positions of up to limit logs with ids greater than after, by id.
	Heads(ctx context.Context, after string, limit int) ([]record.Head, error)
}

// Peers is how cores share the work.
type Peers interface {
	// Hold acquires shards of the logs and reports which it holds whenever that changes, until the context ends.
	Hold(ctx context.Context, held func(Shards)) error
	// Listen calls changed for each log that this or another core has changed and committed. Calls may be missing.
	Listen(ctx context.Context, changed func(log string, here bool)) error
	// Notify notifies the other cores of changed logs.
	Notify(ctx context.Context, logs []string) error
}

// Clock reports how far time is settled.
type Clock interface {
	// Settle returns what a heartbeat says, all heads or those that changed lately, in as many parts as it takes. The
	// caller adds its name.
	Settle(ctx context.Context, all bool) ([]record.Heartbeat, error)
}

// Proof is what the database knows of a position that somebody else holds.
type Proof string

const (
	// Proved: the log went through this position.
	Proved Proof = "proved"
	// Disproved: the log was never there. Whoever holds the position has seen changes that the database lost.
	Disproved Proof = "disproved"
	// Forgotten: the log no longer reaches back so far, so it cannot be known.
	Forgotten Proof = "forgotten"
)

// Tail is the end of a log behind some position.
type Tail struct {
	Head record.Position // zero Seq where the log has no change
	// Given is the newest number and time that a release of the project was given, zero before the first.
	Given   record.Stamp
	Proof   Proof
	Changes []*record.Change // none unless Proved
}

// Unsent is a log with changes that may not be on the stream.
type Unsent struct {
	Log string
	Age time.Duration // since its newest change
}

// ShardCount is how many parts the logs are spread over.
const ShardCount = 64

// Shards is a set of shards, one bit each.
type Shards uint64

// ShardOf returns the shard of a log.
func ShardOf(log string) int {
	h := fnv.New32a()
	h.Write([]byte(log))
	return int(h.Sum32() % ShardCount)
}

// Has reports whether the set has a shard.
func (s Shards) Has(shard int) bool { return s&(1<<shard) != 0 }

// With returns the set with a shard more.
func (s Shards) With(shard int) Shards { return s | 1<<shard }

// Without returns the set with a shard less.
func (s Shards) Without(shard int) Shards { return s &^ (1 << shard) }
