package bitmap

import "github.com/RoaringBitmap/roaring/v2"

// Pool hands out blocks to the sets of one request and takes them all back at its end.
type Pool struct{ spare, taken []*Block }

// maxSpare bounds the blocks that a pool keeps for the next request.
const maxSpare = 64

// block hands out an empty block that lasts until release.
func (p *Pool) block() *Block {
	var b *Block
	if n := len(p.spare); n > 0 {
		b, p.spare = p.spare[n-1], p.spare[:n-1]
		clear(b[:])
	} else {
		b = &Block{}
	}
	p.taken = append(p.taken, b)
	return b
}

// Release takes back what was handed out. Sets that were made of it must not be used any more.
func (p *Pool) Release() {
	for _, b := range p.taken {
		if len(p.spare) < maxSpare {
			p.spare = append(p.spare, b)
		}
	}
	clear(p.taken)
	p.taken = p.taken[:0]
}

// Set is a set of entries or documents by their numbers. Its blocks are those of a pool, and last as long.
type Set struct {
	pool   *Pool
	chunks Chunking
	blocks []*Block // by chunk; nil: none of it
}

// NewSet is an empty set of numbers in so many chunks.
func NewSet(p *Pool, c Chunking, count int) Set {
	return Set{pool: p, chunks: c, blocks: make([]*Block, count)}
}

// At returns the block of a chunk, which it makes where there is none.
func (s *Set) At(chunk int) *Block {
	if s.blocks[chunk] == nil {
		s.blocks[chunk] = s.pool.block()
	}
	return s.blocks[chunk]
}

// Empty reports whether nothing was ever added. A set whose numbers were all taken out may say no.
func (s *Set) Empty() bool {
	for _, b := range s.blocks {
		if b != nil {
			return false
		}
	}
	return true
}

// Count returns how many numbers the set has.
func (s *Set) Count() (n int) {
	for _, b := range s.blocks {
		if b != nil {
			n += b.Count()
		}
	}
	return n
}

// AddCopy adds the numbers of another set and shares no block with it.
func (s *Set) AddCopy(other *Set) {
	for i, b := range other.blocks {
		if b != nil {
			*s.At(i) = *b
		}
	}
}

// Or takes the numbers of another set, and perhaps its blocks.
func (s *Set) Or(other *Set) {
	for i, b := range other.blocks {
		switch {
		case b == nil:
		case s.blocks[i] == nil:
			s.blocks[i] = b
		default:
			s.blocks[i].or(b)
		}
	}
}

// And leaves the numbers that another set has too.
func (s *Set) And(other *Set) {
	for i, b := range s.blocks {
		switch {
		case b == nil:
		case other.blocks[i] == nil:
			s.blocks[i] = nil
		default:
			b.and(other.blocks[i])
		}
	}
}

// AndNot takes the numbers of another set out.
func (s *Set) AndNot(other *Set) {
	for i, b := range s.blocks {
		if b != nil && other.blocks[i] != nil {
			b.andNot(other.blocks[i])
		}
	}
}

// Has reports whether a number is in the set.
func (s *Set) Has(n uint32) bool {
	chunk, low := s.chunks.Split(n)
	return int(chunk) < len(s.blocks) && s.blocks[chunk] != nil && s.blocks[chunk].has(low)
}

// NextChunk returns the next chunk of the set from one on; of a nil set, that is any.
func (s *Set) NextChunk(chunk int) int {
	if s == nil {
		return chunk
	}
	for chunk < len(s.blocks) && s.blocks[chunk] == nil {
		chunk++
	}
	return chunk
}

// HasChunk reports whether some of a chunk may be in the set; of a nil set, everything is.
func (s *Set) HasChunk(chunk int) bool { return s == nil || s.blocks[chunk] != nil }

// Each calls do with the numbers of the set, rising, until it is false or fails.
func (s *Set) Each(do func(n uint32) (more bool, err error)) error {
	for chunk, b := range s.blocks {
		if b == nil {
			continue
		}
		for n, ok := b.Next(0); ok; n, ok = b.Next(n + 1) {
			if more, err := do(s.chunks.Join(chunk, n)); err != nil || !more {
				return err
			}
		}
	}
	return nil
}

// AndRoaring leaves those numbers in the set that a roaring bitmap has.
func (s *Set) AndRoaring(live *roaring.Bitmap) {
	for chunk, b := range s.blocks {
		if b == nil {
			continue
		}
		for n, ok := b.Next(0); ok; n, ok = b.Next(n + 1) {
			if !live.Contains(s.chunks.Join(chunk, n)) {
				b.remove(uint16(n))
			}
		}
	}
}

// AddRoaring adds the numbers of a roaring bitmap.
func (s *Set) AddRoaring(live *roaring.Bitmap) {
	var space [256]uint32
	for it := live.ManyIterator(); ; {
		n := it.NextMany(space[:])
		if n == 0 {
			return
		}
		for _, d := range space[:n] {
			if chunk, low := s.chunks.Split(d); int(chunk) < len(s.blocks) {
				s.At(int(chunk)).add(low)
			}
		}
	}
}

// Roaring is the set as it is kept between requests.
func (s *Set) Roaring() *roaring.Bitmap {
	out := roaring.New()
	var run []uint32
	for chunk, b := range s.blocks {
		if b == nil {
			continue
		}
		run = run[:0]
		for n, ok := b.Next(0); ok; n, ok = b.Next(n + 1) {
			run = append(run, s.chunks.Join(chunk, n))
		}
		out.AddMany(run)
	}
	out.RunOptimize()
	return out
}
