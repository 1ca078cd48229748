package store

import (
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"
)

// appendEver writes the value of tableEver.
func appendEver(dst []byte, first uint64, n uint32) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(dst, first), n)
}

// everIn reads the value of the row of tableEver at which the iterator stands: the first release that published an entry,
// and the entry's number.
func everIn(it *pebble.Iterator) (first uint64, n uint32, err error) {
	value, err := it.ValueAndErr()
	if err != nil {
		return 0, 0, err
	}
	if len(value) != 12 {
		return 0, 0, damaged("first release")
	}
	return binary.BigEndian.Uint64(value), binary.BigEndian.Uint32(value[8:]), nil
}

// entryNumberIn reads the value of a row of tableHead or tableOrdered.
func entryNumberIn(it *pebble.Iterator) (uint32, error) {
	value, err := it.ValueAndErr()
	if err != nil {
		return 0, err
	}
	if len(value) != 4 {
		return 0, damaged("entry number")
	}
	return binary.BigEndian.Uint32(value), nil
}
