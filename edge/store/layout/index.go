package layout

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
)

// Space is the tables of one of two indexes of the same kind. Entries and documents are counted for themselves in each
// collection. What is live now is indexed by the numbers of entries, which a republish does not change: only values that
// change are written. What pins read is indexed by the numbers of documents, of which a release only adds some.
type Space struct {
	Postings, Presence Table
}

// The two spaces.
var (
	LiveSpace = Space{TablePosting, TablePresence}
	PastSpace = Space{TablePastPosting, TablePastPresence}
)

// EveryEntry is the definition that all live entries have; it has no values.
const EveryEntry uint32 = 0

// fit tells what a presence row is about.
const (
	Fits  = byte(0) // documents with a value of the definition's class
	Unfit = byte(1) // documents with another one, in a locale
)

const (
	longValue  = 128 // of longer values, keys have so many bytes and a hash
	ValueHash  = 16
	endOfValue = byte(1) // after a zero byte
	endOfStart = byte(2) // the same, of the beginning of a long value; the hash follows
)

// Field begins the keys of one definition and locale; the empty one is that of values outside of a locale map.
func (g Generation) Field(dst []byte, t Table, c, f uint32, locale []byte) []byte {
	return AppendLocale(binary.BigEndian.AppendUint32(g.Collection(dst, t, c), f), locale)
}

// DefinitionLen is the length of a key of TableDefinition, and where the locale begins in those of the other indexes.
const DefinitionLen = CollectionLen + 4

// AppendValue writes the key of a value (value.KeyOf) so that it tells where it ends and values sort as their keys do.
// Of long ones with the same beginning the order is that of hashes: those who need another look at the documents.
func AppendValue(dst, key []byte) []byte {
	if len(key) <= longValue {
		return append(appendEscaped(dst, key), 0, endOfValue)
	}
	hash := sha256.Sum256(key)
	return append(append(appendEscaped(dst, key[:longValue]), 0, endOfStart), hash[:ValueHash]...)
}

// appendEscaped writes a zero byte as 0 255.
func appendEscaped(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, 0)
		if i < 0 {
			return append(dst, b...)
		}
		dst = append(append(dst, b[:i]...), 0, 0xff)
		b = b[i+1:]
	}
}

// valueEnd finds where the beginning of a value ends that AppendValue wrote, in front of the two bytes that end it; -1 where
// it is malformed. Long values go on behind these with their hash.
func valueEnd(b []byte) (end int, long bool) {
	for i := 0; ; {
		n := bytes.IndexByte(b[i:], 0)
		if n < 0 || i+n+1 >= len(b) {
			return -1, false
		}
		i += n
		switch b[i+1] {
		case endOfValue:
			return i, false
		case endOfStart:
			return i, true
		case 0xff:
			i += 2
		default:
			return -1, false
		}
	}
}

// IsLong reports whether a whole value is one of which only the beginning is told.
func IsLong(v []byte) bool {
	if len(v) < longValue+2+ValueHash {
		return false
	}
	_, long := valueEnd(v)
	return long
}

// ReadValue appends the key that a whole value tells, or its beginning. Only what AppendValue writes is read.
func ReadValue(dst, v []byte) (key []byte, ok bool) {
	end, long := valueEnd(v)
	if end < 0 || !long && end+2 != len(v) || long && end+2+ValueHash != len(v) {
		return dst, false
	}
	key = dst
	for v = v[:end]; ; {
		i := bytes.IndexByte(v, 0)
		if i < 0 {
			break
		}
		key = append(key, v[:i+1]...)
		v = v[i+2:]
	}
	key = append(key, v...)
	if n := len(key) - len(dst); n > longValue || long && n < longValue {
		return dst, false
	}
	return key, true
}

// Words begins the rows of a document's words in one definition.
func (g Generation) Words(dst []byte, c uint32, e EntryID, release uint64, f uint32) []byte {
	return binary.BigEndian.AppendUint32(g.EntryAt(dst, TableWords, c, e, release), f)
}

// AppendLocale ends the key of a row of words.
func AppendLocale(key, locale []byte) []byte { return append(append(key, locale...), 0) }

// Words of a text are written between zero bytes, and each text begins and ends with one. So a phrase is found in them as it is
// written itself, and never reaches from one text into the next.

// AppendTextWord writes a word; first says that it begins a text.
func AppendTextWord(words []byte, word string, first bool) []byte {
	if first {
		words = append(words, 0)
	}
	return append(append(words, word...), 0)
}
