package publish

import (
	"context"

	"svc/replication/record"
	"svc/replication/stream"
)

// Lost is what is known about changes that the database once had and no longer has.
type Lost struct {
	// Epoch is the highest one in which such changes were seen.
	Epoch uint64
	// Release is the newest release among them: number and time, each the highest that was seen.
	Release record.Stamp
	// Unnumbered is how many more of them may have been releases, whose numbers are no longer known.
	Unnumbered uint64
}

// join returns what both know.
func (l Lost) join(other Lost) Lost {
	return Lost{
		Epoch: max(l.Epoch, other.Epoch), Release: l.Release.Join(other.Release), Unnumbered: max(l.Unnumbered, other.Unnumbered),
	}
}

// MaxUnnumbered bounds how many releases a claim may declare lost.
const MaxUnnumbered = 1 << 32

// Raised is what the loss of changes made of a log: its epoch, and the number and the time behind which the next release
// of the project comes.
type Raised struct {
	Log             string
	EpochWas, Epoch uint64
	Was, Now        record.Stamp
}

// Any reports whether anything was raised.
func (r Raised) Any() bool { return r.EpochWas != r.Epoch || r.Was != r.Now }

// History is what the database knows of its own past.
type History interface {
	// Prove reports whether a log ever was at a position, and where it is now.
	Prove(ctx context.Context, log string, at record.Position) (head record.Position, proof Proof, err error)
	// Given returns, of those of the logs that are of projects with releases, the newest number and time that a release was
	// given. Releases to come are given greater ones.
	Given(ctx context.Context, logs []string) (map[string]record.Stamp, error)
	// WentBack records that the database lost changes of a log. In one transaction it raises the log's epoch above that
	// of the lost changes and, of a project, the number and the time behind which the next release comes above those of
	// lost releases. What is above them already stays.
	WentBack(ctx context.Context, log string, lost Lost) (Raised, error)
	// Incarnation names the database as it runs now, and reports whether Vouch was called for it. The name changes
	// whenever the database may have gone back: with every start of its server, and when it was made anew.
	Incarnation(ctx context.Context) (name string, checked bool, err error)
	// Vouch lets releases be published in an incarnation, after all logs were compared with what others saw of them;
	// false where it is another incarnation by now.
	Vouch(ctx context.Context, incarnation string) (bool, error)
	// Notice reads what was committed recently, by any core, so that Seen includes it.
	Notice(ctx context.Context) error
	// Seen returns what this process committed or noticed, of the logs that moved last.
	Seen() map[string]Seen
	// Doubted reports, once, that the database was found to be behind that.
	Doubted() bool
}

// onStream reads off the stream what of a log the database lost, from its last message back to a release, which is the
// newest of them, or to a change that the database has. Where the stream does not reach back so far, any change before
// its first message may have been a release.
func (e *Examiner) onStream(ctx context.Context, log string, epoch uint64) (Lost, error) {
	lost := Lost{Epoch: epoch}
	var first uint64 // sequence of the oldest change that was read
	complete := false
	err := e.Stream.Back(ctx, log, func(m stream.Message) (bool, error) {
		at := tipOf(m).at
		_, proof, err := e.History.Prove(ctx, log, at)
		if err != nil {
			return false, err
		}
		stamp, release, told, err := record.ReadStamp(m.Envelope)
		switch {
		case proof == Proved, err == nil && told:
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
