package index

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// The first byte of a term's key.
const (
	aWord      = byte('w')
	aPair      = byte('p') // of two characters
	aPairsHash = byte('h')
)

// AppendWord writes the key of a word.
func AppendWord(dst []byte, word string) []byte { return append(append(dst, aWord), word...) }

// AppendPair writes the key of two words that follow each other. Of single characters it is exact. Pairs of other words are too
// many to have a row each: they share 65,536, and which of them a document has must be looked up in it.
func AppendPair(dst []byte, first, second string, characters bool) []byte {
	if characters {
		return append(append(append(dst, aPair), first...), second...)
	}
	hash := xxh3.HashStringSeed(second, xxh3.HashString(first))
	return binary.BigEndian.AppendUint16(append(dst, aPairsHash), uint16(hash))
}
