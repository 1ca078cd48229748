package snapshot

import (
	"bytes"
	"encoding/binary"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
)

// LiveSet returns the documents live after a release that changed a collection. The set may be shared: do not change it.
func (s SetCache) LiveSet(r *Reader, c uint32, release uint64) (*roaring.Bitmap, error) {
	key := AppendSetKey(nil, r.Generation, c, release)
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
	err := EachDelta(it, g, c, from, release, func(_ uint64, d *layout.LiveDelta, removed *roaring.Bitmap) error {
		if d.Added > 0 {
			set.AddRange(uint64(d.First), uint64(d.First)+uint64(d.Added))
		}
		set.AndNot(removed)
		return nil
	})
	if err != nil {
		return nil, err
	}
	set.RunOptimize()
	return set, nil
}

// EachDelta calls see with what the releases from one to another did to the live set of a collection. It must not move the iterator.
func EachDelta(it *pebble.Iterator, g layout.Generation, c uint32, from, to uint64, see func(release uint64, d *layout.LiveDelta, removed *roaring.Bitmap) error) error {
	prefix := g.Collection(nil, layout.TableLiveDelta, c)
	for ok := it.SeekGE(g.CollectionRelease(nil, layout.TableLiveDelta, c, from)); ok && bytes.HasPrefix(it.Key(), prefix); ok = it.Next() {
		release := layout.ReleaseIn(it.Key())
		if release > to {
			break
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		d, err := layout.ReadLiveDelta(value)
		if err != nil {
			return err
		}
		removed := roaring.New()
		if len(d.Removed) > 0 && removed.UnmarshalBinary(d.Removed) != nil {
			return layout.Damaged("live set")
		}
		if err := see(release, &d, removed); err != nil {
			return err
		}
	}
	return it.Error()
}

// SetCache keeps live sets of pins, and the sets of filters and words.
type SetCache struct{ *Kept[*roaring.Bitmap] }

// NewSetCache keeps sets of about so many bytes.
func NewSetCache(bytes int64) (SetCache, error) {
	k, err := NewKept(bytes, func(set *roaring.Bitmap) int64 { return int64(set.GetSizeInBytes()) })
	return SetCache{k}, err
}

// AppendSetKey writes the beginning of the key of a set that belongs to a collection after a release.
func AppendSetKey(dst []byte, g layout.Generation, c uint32, release uint64) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(g))
	dst = binary.BigEndian.AppendUint32(dst, c)
	return binary.BigEndian.AppendUint64(dst, release)
}
