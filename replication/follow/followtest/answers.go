package followtest

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"sync"

	"svc/replication/follow"
	"svc/replication/record"
	"svc/replication/snapshot"
	"svc/replication/stream"
	"svc/shared/blob"
	"svc/shared/fault"
)

// Answers is how a Core answers followers: it implements follow.Core. What it is told to do wrong, it does.
type Answers struct {
	Core  *Core
	Blobs blob.Store
	// PerAnswer is how many changes one answer has at most; all where zero.
	PerAnswer int
	// Alter, where set, changes envelopes on their way.
	Alter func(c *record.Change, envelope []byte) []byte

	mu          sync.Mutex
	unavailable bool
	gaps        map[string]int
	newest      map[string]record.Stamp
	snapshots   map[string]int
}

var _ follow.Core = (*Answers)(nil)

// SetUnavailable makes every request fail, or answers again.
func (a *Answers) SetUnavailable(unavailable bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unavailable = unavailable
}

// Asked returns how often changes and snapshots of each log were asked for and answered.
func (a *Answers) Asked() (gaps, snapshots map[string]int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.gaps), maps.Clone(a.snapshots)
}

// Newest returns the newest release of a log that a follower has reported.
func (a *Answers) Newest(id string) record.Stamp {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.newest[id]
}

func (a *Answers) noteRelease(id string, newest record.Stamp) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.newest == nil {
		a.newest = map[string]record.Stamp{}
	}
	a.newest[id] = a.newest[id].Join(newest)
}

func (a *Answers) here() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.unavailable {
		return fault.New(fault.Unavailable, "core is unavailable")
	}
	return nil
}

func (a *Answers) count(counts *map[string]int, id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if *counts == nil {
		*counts = map[string]int{}
	}
	(*counts)[id]++
}

// Heads implements follow.Core.
func (a *Answers) Heads(context.Context) ([]record.Head, error) {
	if err := a.here(); err != nil {
		return nil, err
	}
	return a.Core.Heads(), nil
}

// Heads returns the newest position of every log.
func (c *Core) Heads() []record.Head {
	var heads []record.Head
	for _, id := range c.Logs() {
		heads = append(heads, record.Head{Log: id, Position: c.Head(id)})
	}
	return heads
}

// Changes implements follow.Core. As core does, it begins a new epoch where the asker was where the log never was.
func (a *Answers) Changes(_ context.Context, id string, after record.Position, newest record.Stamp, take func([]byte) error) (record.Position, error) {
	if err := a.here(); err != nil {
		return record.Position{}, err
	}
	a.count(&a.gaps, id)
	a.noteRelease(id, newest)
	head, changes, err := a.Core.after(id, after)
	if err != nil {
		return head, err
	}
	if a.PerAnswer > 0 {
		changes = changes[:min(a.PerAnswer, len(changes))]
	}
	for _, c := range changes {
		envelope, err := record.Inline(c)
		if err != nil {
			return head, err
		}
		if a.Alter != nil {
			envelope = a.Alter(c, envelope)
		}
		if err := take(envelope); err != nil {
			return head, err
		}
	}
	return head, nil
}

func (c *Core) after(id string, at record.Position) (record.Position, []*record.Change, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l, err := c.find(id)
	if err != nil {
		return record.Position{}, nil, err
	}
	chain := record.Hash{}
	if n := min(at.Seq, uint64(len(l.changes))); n > 0 {
		chain = l.changes[n-1].Position.Chain
	}
	if at.Seq > uint64(len(l.changes)) || chain != at.Chain {
		if at.Epoch >= l.epoch {
			l.epoch = at.Epoch + 1
		}
		return l.head(), nil, follow.ErrUnserved
	}
	if at.Seq < l.pruned {
		return l.head(), nil, follow.ErrUnserved
	}
	var changes []*record.Change
	for _, change := range l.changes[at.Seq:] {
		again := *change
		again.Position.Epoch = l.epoch
		changes = append(changes, &again)
	}
	return l.head(), changes, nil
}

// Snapshot implements follow.Core. As core does, it writes the newest snapshot again where that is not whole and somebody
// asks for one beyond it.
func (a *Answers) Snapshot(ctx context.Context, id string, beyond record.Position) (snapshot.Ref, error) {
	if err := a.here(); err != nil {
		return snapshot.Ref{}, err
	}
	a.count(&a.snapshots, id)
	refs, err := a.Core.Recorded(ctx, id, 1)
	if err != nil {
		return snapshot.Ref{}, err
	}
	if len(refs) > 0 && snapshot.Before(beyond, refs[0].Position) {
		return refs[0], nil
	}
	w := &snapshot.Writer{Source: a.Core, Blobs: a.Blobs}
	if len(refs) > 0 && refs[0].Position == beyond {
		var damaged *snapshot.DamagedError
		if err := w.VerifyOrForget(ctx, refs[0]); errors.As(err, &damaged) {
			return w.Write(ctx, id)
		} else if err != nil {
			return snapshot.Ref{}, err
		}
	}
	if !snapshot.Before(beyond, a.Core.Head(id)) {
		return snapshot.Ref{}, fault.New(fault.Conflict, "the log is not beyond that")
	}
	return w.Write(ctx, id)
}

// Send puts changes on the stream as core's relay does, one after the other, whatever is there before.
func Send(ctx context.Context, conn *stream.Conn, blobs blob.Store, changes ...*record.Change) error {
	for _, c := range changes {
		e, err := record.Encode(c, record.InlineLimit)
		if err != nil {
			return err
		}
		if e.Blob != nil {
			if err := put(ctx, blobs, e.BlobKey, e.Blob); err != nil {
				return err
			}
		}
		if err := SendRaw(ctx, conn, c.Log, c.Position, e.Envelope); err != nil {
			return err
		}
	}
	return nil
}

// SendRaw puts any bytes on the stream as a message of a log.
func SendRaw(ctx context.Context, conn *stream.Conn, id string, at record.Position, envelope []byte) error {
	last, _, err := conn.Last(ctx, id)
	if err != nil {
		return err
	}
	_, err = conn.Append(ctx, id, at, record.Stamp{}, envelope, last.Seq)
	return err
}

func put(ctx context.Context, blobs blob.Store, key string, data []byte) error {
	return blobs.Put(ctx, key, bytes.NewReader(data), int64(len(data)), blob.PutOptions{})
}
