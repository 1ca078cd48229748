package layout

import (
	"bytes"
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"
	"google.golang.org/protobuf/proto"

	"svc/replication/record/recordpb"
	"svc/shared/content"
)

// LastSettings returns the settings in force; nil where none have come.
func LastSettings(it *pebble.Iterator, g Generation) (*recordpb.Project, error) {
	return SettingsBefore(it, g, g.End(nil, TableSettings))
}

// SettingsBefore returns the settings of the newest row before a key; nil where there is none.
func SettingsBefore(it *pebble.Iterator, g Generation, bound []byte) (*recordpb.Project, error) {
	if !it.SeekLT(bound) || !bytes.HasPrefix(it.Key(), g.Start(nil, TableSettings)) {
		return nil, it.Error()
	}
	value, err := it.ValueAndErr()
	if err != nil {
		return nil, err
	}
	p := &recordpb.Project{}
	return p, proto.Unmarshal(value, p)
}

// LastRelease returns the newest release; number 0 where there is none.
func LastRelease(it *pebble.Iterator, g Generation) (content.Release, error) {
	if !it.SeekLT(g.End(nil, TableRelease)) || !bytes.HasPrefix(it.Key(), g.Start(nil, TableRelease)) {
		return content.Release{}, it.Error()
	}
	return ReleaseRow(it)
}

// ReleaseRow reads the row of TableRelease at which the iterator stands.
func ReleaseRow(it *pebble.Iterator) (r content.Release, err error) {
	value, err := it.ValueAndErr()
	if err != nil {
		return r, err
	}
	if len(value) != 8 || len(it.Key()) != PrefixLen+8 {
		return r, Damaged("release")
	}
	r.Number = binary.BigEndian.Uint64(it.Key()[PrefixLen:])
	r.PublishedAt = MilliTime(binary.BigEndian.Uint64(value))
	return r, nil
}

// ReadCollectionStates returns the rows of TableCollection by number.
func ReadCollectionStates(it *pebble.Iterator, g Generation) (map[uint32]CollectionState, error) {
	storedCollections := map[uint32]CollectionState{}
	start := g.Start(nil, TableCollection)
	for ok := it.SeekGE(start); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return nil, err
		}
		if len(it.Key()) != CollectionLen {
			return nil, Damaged("collection")
		}
		number := binary.BigEndian.Uint32(it.Key()[PrefixLen:])
		if storedCollections[number], err = readCollectionState(value); err != nil {
			return nil, err
		}
	}
	return storedCollections, it.Error()
}

// EachKey calls do with every key of a generation.
func EachKey(it *pebble.Iterator, g Generation, do func(publicID string, key []byte) error) error {
	start := g.Start(nil, TableKey)
	for ok := it.SeekGE(start); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if err := do(string(it.Key()[PrefixLen:]), value); err != nil {
			return err
		}
	}
	return it.Error()
}

// EntrySlugIn reads the row of TableEntrySlug at which the iterator stands.
func EntrySlugIn(it *pebble.Iterator) (e EntryID, err error) {
	value, err := it.ValueAndErr()
	if err != nil {
		return e, err
	}
	if len(value) != len(e) {
		return e, Damaged("slug")
	}
	copy(e[:], value)
	return e, nil
}

// FirstIn reads the value of the row of TableFirst at which the iterator stands: the first release that published an entry,
// and the entry's number.
func FirstIn(it *pebble.Iterator) (first uint64, n uint32, err error) {
	value, err := it.ValueAndErr()
	if err != nil {
		return 0, 0, err
	}
	if len(value) != 12 {
		return 0, 0, Damaged("first release")
	}
	return binary.BigEndian.Uint64(value), binary.BigEndian.Uint32(value[8:]), nil
}

// NumberOf returns the number of an entry that was published.
func NumberOf(it *pebble.Iterator, g Generation, c uint32, e EntryID) (uint32, error) {
	n, published, err := FindNumber(it, g, c, e)
	if err == nil && !published {
		err = Damaged("entry: it has no number")
	}
	return n, err
}

// FindNumber returns the number of an entry; false where it was never published.
func FindNumber(it *pebble.Iterator, g Generation, c uint32, e EntryID) (n uint32, published bool, err error) {
	key := g.Entry(make([]byte, 0, EntryPrefixLen), TableFirst, c, e)
	if !it.SeekGE(key) || !bytes.Equal(it.Key(), key) {
		return 0, false, it.Error()
	}
	_, n, err = FirstIn(it)
	return n, true, err
}

// RankOf returns an entry's rank, nil where it has none. It is valid until the iterator moves.
func RankOf(it *pebble.Iterator, g Generation, c uint32, e EntryID) ([]byte, error) {
	key := g.Entry(make([]byte, 0, EntryPrefixLen), TableRank, c, e)
	if !it.SeekGE(key) || !bytes.Equal(it.Key(), key) {
		return nil, it.Error()
	}
	return it.ValueAndErr()
}

// DocumentIn reads the document at which the iterator stands; false where the row says that there is none.
func DocumentIn(it *pebble.Iterator) (Document, bool, error) {
	value, err := it.ValueAndErr()
	if err != nil || len(value) == 0 {
		return Document{}, false, err
	}
	d, err := ReadDocument(value)
	d.Release = EntryReleaseIn(it.Key())
	return d, err == nil, err
}

// OrganizationOf returns the organization of a generation; nil where it has not come.
func OrganizationOf(it *pebble.Iterator, g Generation) (*recordpb.Organization, error) {
	key := g.Start(nil, TableOrganization)
	if !it.SeekGE(key) || !bytes.Equal(it.Key(), key) {
		return nil, it.Error()
	}
	value, err := it.ValueAndErr()
	if err != nil {
		return nil, err
	}
	o := &recordpb.Organization{}
	return o, proto.Unmarshal(value, o)
}
