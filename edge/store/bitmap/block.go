package bitmap

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// Block is a set of numbers within one chunk of 65,536: which of them, by the low 16 bits. Posting and presence rows hold
// one each.
type Block [blockWords]uint64

const (
	blockWords  = 1 << 10
	chunkLength = 1 << DefaultChunking
)

// Chunking says how many low bits of a number tell its place within a block; the others tell the chunk. Databases have
// DefaultChunking; tests cut small numbers into many chunks.
type Chunking uint

// DefaultChunking is the chunking of databases.
const DefaultChunking Chunking = 16

// Split returns the chunk of a number and its place there.
func (c Chunking) Split(n uint32) (chunk, low uint16) {
	return uint16(n >> c), uint16(n & (1<<c - 1))
}

// Join is the number at a place of a chunk.
func (c Chunking) Join(chunk, low int) uint32 { return uint32(chunk)<<c | uint32(low) }

// Count is how many chunks the numbers below n have.
func (c Chunking) Count(n uint32) int { return int((uint64(n) + 1<<c - 1) >> c) }

// errDamagedSet is what reading a malformed set returns. It means a defect or a damaged disk.
var errDamagedSet = errors.New("a stored set of numbers is damaged")

func (b *Block) add(n uint16)      { b[n>>6] |= 1 << (n & 63) }
func (b *Block) remove(n uint16)   { b[n>>6] &^= 1 << (n & 63) }
func (b *Block) has(n uint16) bool { return b[n>>6]&(1<<(n&63)) != 0 }

func (b *Block) or(other *Block) {
	for i, w := range other {
		b[i] |= w
	}
}

func (b *Block) and(other *Block) {
	for i, w := range other {
		b[i] &= w
	}
}

func (b *Block) andNot(other *Block) {
	for i, w := range other {
		b[i] &^= w
	}
}

// Count returns how many numbers the set has.
func (b *Block) Count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// Next returns the least number of the set from n on.
func (b *Block) Next(n int) (int, bool) {
	if n >= chunkLength {
		return 0, false
	}
	i := n >> 6
	for w := b[i] >> (n & 63) << (n & 63); ; w = b[i] {
		if w != 0 {
			return i<<6 + bits.TrailingZeros64(w), true
		}
		if i++; i == blockWords {
			return 0, false
		}
	}
}

// gap returns the least number from n on that is not in the set; chunkLength where all are.
func (b *Block) gap(n int) int {
	i := n >> 6
	for w := ^b[i] >> (n & 63) << (n & 63); ; w = ^b[i] {
		if w != 0 {
			return i<<6 + bits.TrailingZeros64(w)
		}
		if i++; i == blockWords {
			return chunkLength
		}
	}
}

// addRange adds first to last.
func (b *Block) addRange(first, last uint16) {
	i, j := first>>6, last>>6
	head, tail := ^uint64(0)<<(first&63), ^uint64(0)>>(63-last&63)
	if i == j {
		b[i] |= head & tail
		return
	}
	b[i] |= head
	for i++; i < j; i++ {
		b[i] = ^uint64(0)
	}
	b[j] |= tail
}

// The forms in which a set is stored: the first byte of a row's value.
const (
	formList   = byte(0) // numbers, each 2 bytes, rising
	formRuns   = byte(1) // first and last of runs, 2 bytes each, rising
	formWords  = byte(2) // the whole block
	formChange = byte(3) // two sets: what came and what went; see setMerger
)

// append writes the set in the shortest form.
func (b *Block) append(dst []byte) []byte {
	n, runs := b.measure()
	switch {
	case n <= 2*runs && n < 4*blockWords:
		dst = append(dst, formList)
		for i, ok := b.Next(0); ok; i, ok = b.Next(i + 1) {
			dst = binary.BigEndian.AppendUint16(dst, uint16(i))
		}
	case runs < 2*blockWords:
		dst = b.appendRuns(append(dst, formRuns))
	default:
		dst = append(dst, formWords)
		for _, w := range b {
			dst = binary.LittleEndian.AppendUint64(dst, w)
		}
	}
	return dst
}

// measure counts the numbers, and the runs in which they follow each other.
func (b *Block) measure() (n, runs int) {
	before := uint64(0)
	for _, w := range b {
		n += bits.OnesCount64(w)
		runs += bits.OnesCount64(w &^ (w<<1 | before))
		before = w >> 63
	}
	return n, runs
}

func (b *Block) appendRuns(dst []byte) []byte {
	for i, ok := b.Next(0); ok; i, ok = b.Next(i) {
		dst = binary.BigEndian.AppendUint16(dst, uint16(i))
		i = b.gap(i)
		dst = binary.BigEndian.AppendUint16(dst, uint16(i-1))
	}
	return dst
}

// AddStored adds the numbers of a stored set.
func (b *Block) AddStored(v []byte) error {
	if len(v) == 0 {
		return errDamagedSet
	}
	form, v := v[0], v[1:]
	switch {
	case form == formList:
		return eachListed(v, b.add)
	case form == formRuns && len(v)%4 == 0:
		last := -1
		for ; len(v) > 0; v = v[4:] {
			first, end := int(binary.BigEndian.Uint16(v)), int(binary.BigEndian.Uint16(v[2:]))
			if first <= last || end < first {
				return errDamagedSet
			}
			b.addRange(uint16(first), uint16(end))
			last = end
		}
		return nil
	case form == formWords && len(v) == 8*blockWords:
		for i := range b {
			b[i] |= binary.LittleEndian.Uint64(v[8*i:])
		}
		return nil
	}
	return errDamagedSet
}

// eachListed calls do with the numbers of a list.
func eachListed(v []byte, do func(uint16)) error {
	if len(v)%2 != 0 {
		return errDamagedSet
	}
	for last := -1; len(v) > 0; v = v[2:] {
		n := int(binary.BigEndian.Uint16(v))
		if n <= last {
			return errDamagedSet
		}
		do(uint16(n))
		last = n
	}
	return nil
}

// appendNumber writes a set of one number.
func appendNumber(dst []byte, n uint16) []byte {
	return binary.BigEndian.AppendUint16(append(dst, formList), n)
}
