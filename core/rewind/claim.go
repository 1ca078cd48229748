package rewind

import (
	"context"
	"strings"

	"svc/core/changelog"
	"svc/replication/publish"
	"svc/replication/record"
	"svc/replication/snapshot"
)

// Claim is a position of a log that somebody saw. Newest is the newest release number and time that were given by then, zero
// before the first; nil if they are not known.
type Claim struct {
	Log    string
	By     string
	At     record.Position
	Newest *record.Stamp
}

// lost is what the database lost if a claim is true, by what it knows of the position; false where it lost nothing.
func (c *Claim) lost(known *publish.Tail) (lost Lost, any bool) {
	disproved := known.Proof == publish.Disproved
	if disproved || c.At.Epoch > known.Head.Epoch {
		lost.Epoch, any = c.At.Epoch, true
	}
	switch {
	case !project(c.Log):
	case c.Newest == nil:
		if disproved && c.At.Epoch >= known.Head.Epoch { // in an older epoch it was taken in when that ended
			lost.Unnumbered = min(c.At.Seq, MaxUnnumbered)
		}
	default:
		// It may be beyond what the database gave also where the position is part of the log: what was sent last may have been
		// sent again after an earlier loss, or before the changes that are lost.
		lost.Release, any = *c.Newest, any || known.Given.Join(*c.Newest) != known.Given
	}
	return lost, any
}

// project tells the log of a project, which has releases, from that of an organization.
func project(log string) bool { return !strings.HasPrefix(log, "org_") }

// Loss is a log of which somebody saw changes that the database does not have.
type Loss struct {
	Log  string
	Head record.Position // in the database
	Seen record.Position // the farthest, seen by the first of By
	By   []string
	Lost Lost
	// Gone says that the database has no such log at all.
	Gone bool
}

// add counts one more that saw the log at a position.
func (l *Loss) add(c *Claim) {
	if len(l.By) == 0 || snapshot.Before(l.Seen, c.At) {
		l.Seen, l.By = c.At, append([]string{c.By}, l.By...)
	} else {
		l.By = append(l.By, c.By)
	}
}

// judge compares claims about a log with its head in the database and with what its project gave to releases.
func judge(ctx context.Context, source *changelog.Source, head record.Head, given record.Stamp, claims []Claim) (Loss, error) {
	loss := Loss{Log: head.Log, Head: head.Position}
	for _, c := range claims {
		known := publish.Tail{Head: head.Position, Given: given, Proof: publish.Proved}
		if c.At.Seq != head.Position.Seq || c.At.Chain != head.Position.Chain {
			var err error
			if known, err = source.Prove(ctx, head.Log, c.At); err != nil {
				return Loss{}, err
			}
		}
		if lost, any := c.lost(&known); any {
			loss.add(&c)
			loss.Lost = loss.Lost.join(lost)
		}
	}
	return loss, nil
}
