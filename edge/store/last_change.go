package store

import (
	"bytes"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
)

// lastChange is the newest release at or before a pin that changed a collection.
type lastChange struct {
	release    uint64 // 0: none did
	live, ever uint32 // entries live after it, entries that had been by then
	documents  uint32 // that there were by then
	greatest   layout.EntryID
	later      bool // another release changed the collection since
}

func (r *reader) lastChange(c uint32, pin uint64) (t lastChange, err error) {
	it, err := r.iterator(walking)
	if err != nil {
		return t, err
	}
	prefix := r.gen.Collection(nil, layout.TableLiveDelta, c)
	if !it.SeekLT(r.gen.CollectionRelease(nil, layout.TableLiveDelta, c, pin+1)) || !bytes.HasPrefix(it.Key(), prefix) {
		return t, it.Error()
	}
	value, err := it.ValueAndErr()
	if err != nil {
		return t, err
	}
	d, err := layout.ReadLiveDelta(value)
	if err != nil {
		return t, err
	}
	t = lastChange{release: layout.ReleaseIn(it.Key()), live: d.Live, ever: d.Ever, documents: d.First + d.Added, greatest: d.Greatest}
	t.later = it.Next() && bytes.HasPrefix(it.Key(), prefix)
	return t, it.Error()
}

// liveSet returns the documents live after a release that touched a collection. The set may be shared: do not change
// it.
func (s *Store) liveSet(r *reader, c uint32, release uint64) (*roaring.Bitmap, error) {
	key := setKey(r.gen, c, release)
	if set, ok := s.sets.get(key); ok {
		return set, nil
	}
	it, err := r.iterator(walking)
	if err != nil {
		return nil, err
	}
	set, err := readLiveSet(it, r.gen, c, release)
	if err != nil {
		return nil, err
	}
	s.sets.put(key, set)
	return set, nil
}

// readLiveSet takes the nearest full set and what came after it.
func readLiveSet(it *pebble.Iterator, g layout.Generation, c uint32, release uint64) (*roaring.Bitmap, error) {
	set, from := roaring.New(), uint64(0)
	if it.SeekLT(g.CollectionRelease(nil, layout.TableLiveSet, c, release+1)) && bytes.HasPrefix(it.Key(), g.Collection(nil, layout.TableLiveSet, c)) {
		value, err := it.ValueAndErr()
		if err != nil {
			return nil, err
		}
		if err := set.UnmarshalBinary(value); err != nil {
			return nil, layout.Damaged("live set")
		}
		from = layout.ReleaseIn(it.Key()) + 1
	}
	prefix := g.Collection(nil, layout.TableLiveDelta, c)
	for ok := it.SeekGE(g.CollectionRelease(nil, layout.TableLiveDelta, c, from)); ok && bytes.HasPrefix(it.Key(), prefix); ok = it.Next() {
		if layout.ReleaseIn(it.Key()) > release {
			break
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return nil, err
		}
		if err := applyDelta(set, value); err != nil {
			return nil, err
		}
	}
	if err := it.Error(); err != nil {
		return nil, err
	}
	set.RunOptimize()
	return set, nil
}

func applyDelta(set *roaring.Bitmap, value []byte) error {
	d, err := layout.ReadLiveDelta(value)
	if err != nil {
		return err
	}
	if d.Added > 0 {
		set.AddRange(uint64(d.First), uint64(d.First)+uint64(d.Added))
	}
	if len(d.Removed) == 0 {
		return nil
	}
	removed := roaring.New()
	if err := removed.UnmarshalBinary(d.Removed); err != nil {
		return layout.Damaged("live set")
	}
	set.AndNot(removed)
	return nil
}
