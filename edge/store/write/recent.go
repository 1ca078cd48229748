package write

import (
	"bytes"
	"cmp"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
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
		p.fresh[freshKey{p.a.Number, e}] = now
		return
	}
	a := p.a
	if a.recent == nil || len(a.recent) >= maxRecent {
		a.recent = map[layout.EntryID]recent{}
	}
	a.recent[e] = recent{EntryState: now, n: n, release: p.release.Number}
}

// readFormer gives the indexes the fields that a live entry had until now.
func (p *publication) readFormer(e layout.EntryID) error {
	if r, ok := p.a.recent[e]; ok {
		return p.readRecent(e, r.release)
	}
	it := cmp.Or(p.documents, p.it)
	p.key = p.State.Gen.EntryAt(p.key, layout.TableDocument, p.a.Number, e, layout.MaxRelease)
	if !it.SeekGE(p.key) || !bytes.HasPrefix(it.Key(), p.key[:layout.EntryPrefixLen]) {
		if err := it.Error(); err != nil {
			return err
		}
		return layout.Damaged("entry: it has no document")
	}
	former, live, err := layout.DocumentIn(it)
	if err == nil && !live {
		err = layout.Damaged("entry: its document is empty")
	}
	if err != nil {
		return err
	}
	return p.index.Former(former.Fields)
}

// readRecent does so for an entry of which it is known which release published it last.
func (p *publication) readRecent(e layout.EntryID, release uint64) error {
	p.key = p.State.Gen.EntryAt(p.key, layout.TableDocument, p.a.Number, e, release)
	value, row, err := p.db.Get(p.key)
	if errors.Is(err, pebble.ErrNotFound) {
		return layout.Damaged("entry: it has no document")
	}
	if err != nil {
		return err
	}
	d, err := layout.ReadDocument(value)
	if err == nil {
		err = p.index.Former(d.Fields)
	}
	return layout.JoinClose(err, row)
}
