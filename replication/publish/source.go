// Package publish is core's side of replication: it sends the logs in the database to the stream, in order and without gaps,
// whatever the stream has lost and however many relays do so at once.
package publish

import (
	"context"
	"time"

	"svc/replication/record"
)

// Source is the truth: the logs as the database has them. The epoch in every position it returns is the log's epoch
// now.
type Source interface {
	// After returns the log's changes behind a position, oldest first, as far as one reading goes.
	After(ctx context.Context, log string, at record.Position) (Tail, error)
	// Resume returns what to send where the last message of the log leads nowhere, or there is none: the newest change, and those
	// before it that are not recorded as sent unless only the newest is wanted.
	Resume(ctx context.Context, log string, newest bool) (Tail, error)
	// Unsent returns the logs that changed lately, though not within the given age, and have changes beyond what Sent recorded.
	Unsent(ctx context.Context, age time.Duration) ([]string, error)
	// Sent records how far logs are on the stream.
	Sent(ctx context.Context, seqs map[string]uint64) error
	// Heads returns the newest positions of up to limit logs with ids greater than after, by id.
	Heads(ctx context.Context, after string, limit int) ([]record.Head, error)
	// Listen calls changed for each log that this process has changed and committed, until stop is called.
	Listen(changed func(log string)) (stop func())
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
	// Disproved: the log was never there. Those who hold the position have seen changes that the database lost.
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
