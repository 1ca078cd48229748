package write

import (
	"bytes"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/replication/record/recordpb"
	"svc/shared/content"
)

// State is what writing needs to know of a log. It is kept between changes and changed in place; after an error it is
// thrown away and read again.
type State struct {
	layout.LogRow
	// Of a project.
	Settings    *recordpb.Project // in force; nil where none have come
	Head        content.Release
	Collections map[string]*Collection
	next        uint32 // number of the next collection
	// NewTexts is how many bytes of fields came with the last release whose words are to be indexed.
	NewTexts int64
	// Of an organization; nil where it has not come.
	Organization *recordpb.Organization
}

// Collection is what writing needs to know of a collection.
type Collection struct {
	Number uint32
	layout.CollectionState

	opened      bool   // the rest is known
	next        uint32 // number of the next document
	live, ever  uint32
	since       uint32
	sinceBytes  uint32
	touched     uint64          // the newest release that did
	ranked      bool            // entries have ranks
	set         *roaring.Bitmap // documents live now; only loads keep it
	Definitions index.Definitions
	Texts       layout.TextsIndexed
}

// ReadState reads where a log stands; false where the database does not hold it.
func ReadState(src pebble.Reader, id string) (*State, bool, error) {
	value, err := layout.Get(src, layout.Global.Text(nil, layout.TableLog, id))
	if err != nil || value == nil {
		return nil, false, err
	}
	row, err := layout.ReadLogRow(value)
	if err != nil {
		return nil, false, err
	}
	state := NewState(row.Gen)
	state.LogRow = row
	it, err := row.Gen.Iterate(src)
	if err != nil {
		return nil, false, err
	}
	if content.IsID[content.ProjectID](id) {
		err = state.readProject(it)
	} else {
		state.Organization, err = layout.OrganizationOf(it, row.Gen)
	}
	return state, true, layout.JoinClose(err, it)
}

// NewState is the state of a log of which nothing is stored in a generation yet.
func NewState(g layout.Generation) *State {
	return &State{LogRow: layout.LogRow{Gen: g}, Collections: map[string]*Collection{}, next: 1}
}

func (state *State) readProject(it *pebble.Iterator) (err error) {
	if state.Settings, err = layout.LastSettings(it, state.Gen); err != nil {
		return err
	}
	if state.Head, err = layout.LastRelease(it, state.Gen); err != nil {
		return err
	}
	storedCollections, err := layout.ReadCollectionStates(it, state.Gen)
	for number, stored := range storedCollections {
		state.Collections[stored.Name] = &Collection{Number: number, CollectionState: stored}
		state.next = max(state.next, number+1)
	}
	return err
}

// open reads a collection's counters where they are not known; in a new generation there are none.
func (a *Collection) open(it *pebble.Iterator, g layout.Generation, fresh bool) error {
	if a.opened {
		return nil
	}
	a.Definitions = index.NewDefinitions()
	if fresh {
		a.opened, a.set = true, roaring.New()
		return nil
	}
	if err := index.ReadDefinitions(it, g, a.Number, a.Definitions.Add); err != nil {
		return fmt.Errorf("open collection %s: %w", a.Name, err)
	}
	prefix := g.Collection(nil, layout.TableLiveDelta, a.Number)
	if it.SeekLT(g.CollectionEnd(nil, layout.TableLiveDelta, a.Number)) && bytes.HasPrefix(it.Key(), prefix) {
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		d, err := layout.ReadLiveDelta(value)
		if err != nil {
			return err
		}
		a.next, a.live, a.ever, a.since, a.sinceBytes = d.First+d.Added, d.Live, d.Ever, d.Since, d.SinceBytes
		a.touched = layout.ReleaseIn(it.Key())
	}
	var err error
	if a.Texts, err = layout.TextsIndexedIn(it, g, a.Number); err != nil {
		return fmt.Errorf("open collection %s: %w", a.Name, err)
	}
	prefix = g.Collection(prefix, layout.TableRank, a.Number)
	a.ranked = it.SeekGE(prefix) && bytes.HasPrefix(it.Key(), prefix)
	if err := it.Error(); err != nil {
		return fmt.Errorf("open collection %s: %w", a.Name, err)
	}
	a.opened = true
	return nil
}
