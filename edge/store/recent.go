package store

import (
	"errors"
	"svc/edge/store/layout"

	"github.com/cockroachdb/pebble/v2"
)

// recent is an entry as it is now, by the release that made it so. What is published is likely to be published again
// soon, and then nothing of it has to be looked for.
type recent struct {
	layout.EntryState
	n       uint32
	release uint64
}

// maxRecent bounds the entries of a collection that are remembered.
const maxRecent = 1024

// note remembers what a release made of an entry. A load, which comes to most entries once, remembers none.
func (p *publication) note(e layout.EntryID, n uint32, now layout.EntryState) {
	if p.loading {
		p.fresh[freshKey{p.a.number, e}] = now
		return
	}
	a := p.a
	if a.recent == nil || len(a.recent) >= maxRecent {
		a.recent = map[layout.EntryID]recent{}
	}
	a.recent[e] = recent{EntryState: now, n: n, release: p.release.Number}
}

// readRecent reads what was filed of an entry by the release that published it last.
func (x *indexer) readRecent(e layout.EntryID, release uint64) error {
	x.at = x.led.Gen.EntryAt(x.at, layout.TableDocument, x.a.number, e, release)
	value, row, err := x.s.db.Get(x.at)
	if errors.Is(err, pebble.ErrNotFound) {
		return layout.Damaged("entry: it has no document")
	}
	if err != nil {
		return err
	}
	d, err := layout.ReadDocument(value)
	if err == nil {
		err = x.old.read(x.defs, d.Fields)
	}
	return layout.JoinClose(err, row)
}
