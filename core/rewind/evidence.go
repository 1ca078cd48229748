package rewind

import (
	"context"
	"fmt"
	"strings"
	"time"

	"svc/replication/publish"
	"svc/replication/record"
	"svc/replication/snapshot"
	"svc/replication/stream"
	"svc/shared/fault"
)

// Claim is a position of a log that somebody saw. Newest is the newest release up to there, zero before the first; nil if it
// is not known.
type Claim struct {
	Log    string
	By     string
	At     record.Position
	Newest *record.Stamp
}

// lost is what the database lost where it does not know the position of a claim.
func (c *Claim) lost() Lost {
	if c.Newest == nil {
		return Lost{Epoch: c.At.Epoch, Unnumbered: min(c.At.Seq, MaxUnnumbered)}
	}
	return Lost{Epoch: c.At.Epoch, Release: *c.Newest}
}

const theStream = "the stream"

// look compares one log; given is the newest release number and time that the database gave.
func (c *Comparison) look(ctx context.Context, head record.Head, given record.Stamp, onStream last, claims []Claim) (Loss, error) {
	loss := Loss{Log: head.Log, Head: head.Position}
	if given.Join(onStream.given) != given {
		// Also where the last message is part of the log: it may have been sent again after an earlier loss, or before the
		// changes that are lost.
		loss.Seen, loss.By, loss.Lost.Release = onStream.at, []string{theStream}, onStream.given
	}
	if onStream.at.Seq > 0 {
		claims = append([]Claim{{head.Log, theStream, onStream.at, nil}}, claims...)
	}
	if onStream.at.Seq == 0 || c.Snapshots {
		m, err := snapshot.Latest(ctx, c.Blobs, head.Log)
		if err == nil {
			newest := record.Stamp{Number: snapshot.LastRelease(m), Time: time.UnixMilli(m.TimeMs).Add(snapshotBegin).UTC()}
			claims = append(claims, Claim{head.Log, "a snapshot", snapshot.At(m), &newest})
		} else if !fault.Is(err, fault.NotFound) {
			return Loss{}, fmt.Errorf("compare log %s with its newest snapshot: %w", head.Log, err)
		}
	}
	for _, claim := range claims {
		if err := c.test(ctx, &loss, claim); err != nil {
			return Loss{}, fmt.Errorf("compare log %s with what %s shows: %w", head.Log, claim.By, err)
		}
	}
	return loss, nil
}

// snapshotBegin is more than a snapshot's transaction takes from the time in its manifest to its first look at releases.
const snapshotBegin = time.Minute

// test adds a claim to a loss where the log never was there, or never was in its epoch.
func (c *Comparison) test(ctx context.Context, loss *Loss, claim Claim) (err error) {
	at := claim.At
	if at.Seq == loss.Head.Seq && at.Chain == loss.Head.Chain && at.Epoch <= loss.Head.Epoch {
		return nil
	}
	head, proof, err := c.Source.Prove(ctx, loss.Log, at)
	if err != nil || proof != publish.Disproved && at.Epoch <= head.Epoch {
		return err
	}
	lost := Lost{Epoch: at.Epoch}
	switch {
	case proof == publish.Proved || !project(loss.Log):
	case claim.By == theStream:
		if lost, err = c.readLost(ctx, loss.Log, at.Epoch); err != nil {
			return err
		}
	default:
		lost = claim.lost()
	}
	loss.add(claim.By, at)
	loss.Lost = loss.Lost.join(lost)
	return nil
}

// project tells the log of a project, which has releases, from that of an organization.
func project(log string) bool { return !strings.HasPrefix(log, "org_") }

// readLost reads off the stream what of a log the database lost, from its last message back to a release, which is the
// newest of them, or to a change that the database has. Where the stream does not reach back so far, any change before
// its first message may have been a release.
func (c *Comparison) readLost(ctx context.Context, log string, epoch uint64) (Lost, error) {
	lost := Lost{Epoch: epoch}
	var first uint64 // sequence of the oldest change that was read
	complete := false
	err := c.Stream.Back(ctx, log, func(m stream.Message) (bool, error) {
		at := m.At()
		_, proof, err := c.Source.Prove(ctx, log, at)
		if err != nil {
			return false, err
		}
		stamp, release, told, err := record.ReadStamp(m.Envelope)
		switch {
		case proof == publish.Proved, err == nil && told:
			complete, lost.Release = true, stamp
			return false, nil
		case err != nil: // no change at all
			return true, nil
		case release:
			lost.Unnumbered++
		}
		first = at.Seq
		return true, nil
	})
	if err == nil && !complete && first > 1 {
		lost.Unnumbered += min(first-1, MaxUnnumbered)
	}
	return lost, err
}
