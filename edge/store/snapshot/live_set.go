package snapshot

import (
	"bytes"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
)

// LiveSet returns the documents live after a release that changed a collection. The set may be shared: do not change it.
func (s *SetCache) LiveSet(r *Reader, c uint32, release uint64) (*roaring.Bitmap, error) {
	key := SetKey(r.Generation, c, release)
	if set, ok := s.Get(key); ok {
		return set, nil
	}
	it, err := r.Iterator(Primary)
	if err != nil {
		return nil, err
	}
	set, err := ReadLiveSet(it, r.Generation, c, release)
	if err != nil {
		return nil, err
	}
	s.Put(key, set)
	return set, nil
}

// ReadLiveSet takes the nearest full set and what came after it.
func ReadLiveSet(it *pebble.Iterator, g layout.Generation, c uint32, release uint64) (*roaring.Bitmap, error) {
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
