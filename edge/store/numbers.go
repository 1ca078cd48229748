package store

import "github.com/RoaringBitmap/roaring/v2"

// numbers is a set of entries or documents by their numbers. Its blocks are those of the reader it was made by, and last as
// long.
type numbers struct {
	blocks []*block // by chunk; nil: none of it
}

// block hands out an empty block that lasts until the reader is closed.
func (r *reader) block() *block {
	var b *block
	if n := len(r.spare); n > 0 {
		b, r.spare = r.spare[n-1], r.spare[:n-1]
		clear(b[:])
	} else {
		b = &block{}
	}
	r.taken = append(r.taken, b)
	return b
}

// maxSpare bounds the blocks that a reader keeps for the next request.
const maxSpare = 64

func (r *reader) freeBlocks() {
	for _, b := range r.taken {
		if len(r.spare) < maxSpare {
			r.spare = append(r.spare, b)
		}
	}
	clear(r.taken)
	r.taken = r.taken[:0]
}

// at returns the block of a chunk, which it makes where there is none.
func (s *numbers) at(r *reader, chunk int) *block {
	if s.blocks[chunk] == nil {
		s.blocks[chunk] = r.block()
	}
	return s.blocks[chunk]
}

func (s *numbers) empty() bool {
	for _, b := range s.blocks {
		if b != nil {
			return false
		}
	}
	return true
}

func (s *numbers) count() (n int) {
	for _, b := range s.blocks {
		if b != nil {
			n += b.count()
		}
	}
	return n
}

// or takes the numbers of another set, and perhaps its blocks.
func (s *numbers) or(other *numbers) {
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

func (s *numbers) and(other *numbers) {
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

func (s *numbers) andNot(other *numbers) {
	for i, b := range s.blocks {
		if b != nil && other.blocks[i] != nil {
			b.andNot(other.blocks[i])
		}
	}
}

// has reports whether a number is in the set.
func (s *numbers) has(n uint32, chunkBits uint) bool {
	chunk := int(n >> chunkBits)
	return chunk < len(s.blocks) && s.blocks[chunk] != nil && s.blocks[chunk].has(uint16(n&(1<<chunkBits-1)))
}

// each calls do with the numbers of the set, rising, until it is false or fails.
func (s *numbers) each(chunkBits uint, do func(n uint32) (more bool, err error)) error {
	for chunk, b := range s.blocks {
		if b == nil {
			continue
		}
		for n, ok := b.next(0); ok; n, ok = b.next(n + 1) {
			if more, err := do(uint32(chunk)<<chunkBits | uint32(n)); err != nil || !more {
				return err
			}
		}
	}
	return nil
}

// keep leaves those numbers in the set that a live set has.
func (s *numbers) keep(live *roaring.Bitmap, chunkBits uint) {
	for chunk, b := range s.blocks {
		if b == nil {
			continue
		}
		for n, ok := b.next(0); ok; n, ok = b.next(n + 1) {
			if !live.Contains(uint32(chunk)<<chunkBits | uint32(n)) {
				b.remove(uint16(n))
			}
		}
	}
}

// load adds the numbers of a live set.
func (s *numbers) load(r *reader, live *roaring.Bitmap, chunkBits uint) {
	var space [256]uint32
	for it := live.ManyIterator(); ; {
		n := it.NextMany(space[:])
		if n == 0 {
			return
		}
		for _, d := range space[:n] {
			if chunk := int(d >> chunkBits); chunk < len(s.blocks) {
				s.at(r, chunk).add(uint16(d & (1<<chunkBits - 1)))
			}
		}
	}
}

// compact is the set as it is kept between requests.
func (s *numbers) compact(chunkBits uint) *roaring.Bitmap {
	out := roaring.New()
	var run []uint32
	for chunk, b := range s.blocks {
		if b == nil {
			continue
		}
		run = run[:0]
		for n, ok := b.next(0); ok; n, ok = b.next(n + 1) {
			run = append(run, uint32(chunk)<<chunkBits|uint32(n))
		}
		out.AddMany(run)
	}
	out.RunOptimize()
	return out
}
