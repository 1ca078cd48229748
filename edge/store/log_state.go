package store

import (
	"bytes"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"
	"google.golang.org/protobuf/proto"

	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/replication/record/recordpb"
	"svc/shared/content"
)

// logState is what writing needs to know of a log. It is kept between changes and changed in place; after an error it is
// thrown away and read again.
type logState struct {
	layout.LogRow
	// Of a project.
	settings *recordpb.Project // in force; nil where none have come
	head     content.Release
	byName   map[string]*account
	next     uint32 // number of the next collection
	unbuilt  bool   // a definition may not be built
	// Of an organization; nil where it has not come.
	organization *recordpb.Organization
}

// account is what writing needs to know of a collection.
type account struct {
	number uint32
	layout.CollectionState

	opened     bool   // the rest is known
	next       uint32 // number of the next document
	live, ever uint32
	since      uint32
	sinceBytes uint32
	greatest   layout.EntryID
	touched    uint64                    // the newest release that did
	ranked     bool                      // entries have ranks
	set        *roaring.Bitmap           // documents live now; only loads keep it
	recent     map[layout.EntryID]recent // entries published lately
	clusters   knownClusters             // clusters in force, of those met lately
	defs       index.Definitions
	folds      index.Folds
}

// loadLogState reads where a log stands; false where the store does not hold it.
func (s *Store) loadLogState(l *log) (*logState, bool, error) {
	row, held, err := s.logRow(l.id)
	if err != nil || !held {
		return nil, false, err
	}
	led := newLogState(row.Gen)
	led.LogRow = row
	it, err := row.Gen.Iterate(s.db)
	if err != nil {
		return nil, false, err
	}
	if l.isProject() {
		err = led.loadProject(it)
	} else {
		err = led.loadOrganization(it)
	}
	return led, true, layout.JoinClose(err, it)
}

func newLogState(g layout.Generation) *logState {
	return &logState{LogRow: layout.LogRow{Gen: g}, byName: map[string]*account{}, next: 1}
}

func (led *logState) loadProject(it *pebble.Iterator) (err error) {
	if led.settings, err = layout.LastSettings(it, led.Gen); err != nil {
		return err
	}
	if led.head, err = layout.LastRelease(it, led.Gen); err != nil {
		return err
	}
	storedCollections, err := layout.ReadCollectionStates(it, led.Gen)
	for number, stored := range storedCollections {
		led.byName[stored.Name] = &account{number: number, CollectionState: stored}
		led.next = max(led.next, number+1)
	}
	return err
}

func (led *logState) loadOrganization(it *pebble.Iterator) error {
	key := led.Gen.Start(nil, layout.TableOrganization)
	if !it.SeekGE(key) || !bytes.Equal(it.Key(), key) {
		return it.Error()
	}
	value, err := it.ValueAndErr()
	if err != nil {
		return err
	}
	led.organization = &recordpb.Organization{}
	return proto.Unmarshal(value, led.organization)
}

// open reads a collection's counters where they are not known; in a new generation there are none.
func (a *account) open(it *pebble.Iterator, g layout.Generation, fresh bool) error {
	if a.opened {
		return nil
	}
	a.defs = index.NewDefinitions()
	if fresh {
		a.opened, a.set = true, roaring.New()
		return nil
	}
	if err := index.ReadDefinitions(it, g, a.number, a.defs.Add); err != nil {
		return fmt.Errorf("open collection %s: %w", a.Name, err)
	}
	prefix := g.Collection(nil, layout.TableLiveDelta, a.number)
	if it.SeekLT(g.CollectionEnd(nil, layout.TableLiveDelta, a.number)) && bytes.HasPrefix(it.Key(), prefix) {
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		d, err := layout.ReadLiveDelta(value)
		if err != nil {
			return err
		}
		a.next, a.live, a.ever, a.since, a.sinceBytes = d.First+d.Added, d.Live, d.Ever, d.Since, d.SinceBytes
		a.greatest, a.touched = d.Greatest, layout.ReleaseIn(it.Key())
	}
	prefix = g.Collection(prefix, layout.TableRank, a.number)
	a.ranked = it.SeekGE(prefix) && bytes.HasPrefix(it.Key(), prefix)
	if err := it.Error(); err != nil {
		return fmt.Errorf("open collection %s: %w", a.Name, err)
	}
	a.opened = true
	return nil
}
