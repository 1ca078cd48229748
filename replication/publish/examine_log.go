package publish

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"svc/replication/record"
	"svc/replication/snapshot"
	"svc/shared/fault"
)

// look compares one log; given is the newest release number and time that the database gave.
func (e *Examiner) look(ctx context.Context, head record.Head, given record.Stamp, last tip, claims []Claim) (Loss, error) {
	loss := Loss{Log: head.Log, Head: head.Position}
	if given.Join(last.given) != given {
		// Also where the last message is part of the log: it may have been sent again after an earlier loss, or before the
		// changes that are lost.
		loss.Seen, loss.By, loss.Lost.Release = last.at, []string{"the stream"}, last.given
	}
	if !last.none() {
		err := e.weigh(ctx, &loss, "the stream", last.at, func() (Lost, error) { return e.onStream(ctx, head.Log, last.at.Epoch) })
		if err != nil {
			return Loss{}, fmt.Errorf("compare log %s with the stream: %w", head.Log, err)
		}
	}
	if last.none() || e.Snapshots {
		m, err := snapshot.Latest(ctx, e.Blobs, head.Log)
		if err == nil {
			err = e.weigh(ctx, &loss, "a snapshot", snapshot.At(m), func() (Lost, error) {
				newest := record.Stamp{Number: snapshot.LastRelease(m), Time: time.UnixMilli(m.TimeMs).Add(beginning).UTC()}
				return Lost{Epoch: m.Epoch, Release: newest}, nil
			})
		}
		if err != nil && !fault.Is(err, fault.NotFound) {
			return Loss{}, fmt.Errorf("compare log %s with its newest snapshot: %w", head.Log, err)
		}
	}
	for _, c := range claims {
		err := e.weigh(ctx, &loss, c.By, c.At, func() (Lost, error) { return c.lost(), nil })
		if err != nil {
			return Loss{}, fmt.Errorf("compare log %s with what %s holds: %w", head.Log, c.By, err)
		}
	}
	return loss, nil
}

// beginning is more than a snapshot's transaction takes from the time in its manifest to its first look at releases.
const beginning = time.Minute

// lost is what the database lost where it does not know the position of a claim.
func (c *Claim) lost() Lost {
	if c.Newest == nil {
		return Lost{Epoch: c.At.Epoch, Unnumbered: min(c.At.Seq, MaxUnnumbered)}
	}
	return Lost{Epoch: c.At.Epoch, Release: *c.Newest}
}

// weigh adds a position to a loss where the log never was there, or never was in its epoch.
func (e *Examiner) weigh(ctx context.Context, loss *Loss, by string, at record.Position, evidence func() (Lost, error)) error {
	if at.Seq == loss.Head.Seq && at.Chain == loss.Head.Chain && at.Epoch <= loss.Head.Epoch {
		return nil
	}
	head, proof, err := e.History.Prove(ctx, loss.Log, at)
	if err != nil || proof != Disproved && at.Epoch <= head.Epoch {
		return err
	}
	lost := Lost{Epoch: at.Epoch}
	if proof != Proved && !strings.HasPrefix(loss.Log, "org_") {
		if lost, err = evidence(); err != nil {
			return err
		}
	}
	switch {
	case slices.Contains(loss.By, by):
	case len(loss.By) == 0 || snapshot.Before(loss.Seen, at):
		loss.Seen, loss.By = at, append([]string{by}, loss.By...)
	default:
		loss.By = append(loss.By, by)
	}
	loss.Lost = loss.Lost.join(lost)
	return nil
}
