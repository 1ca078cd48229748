package index

import (
	"bytes"
	"hash/maphash"
	"slices"

	"svc/edge/store/bitmap"
	"svc/edge/store/layout"
)

// postings collects what a batch says of sets of numbers, so that each set gets one operand.
type postings struct {
	chunks bitmap.Chunking
	byKey  map[string]*posting
	size   int // bytes, about
	value  []byte
}

type posting struct {
	came, went []uint16
}

// set puts a number into the set of a key, or takes it out. The key still lacks its chunk.
func (p *postings) set(key []byte, n uint32, in bool) {
	chunk, low := p.chunks.Split(n)
	key = layout.AppendChunk(key, chunk)
	one := p.byKey[string(key)]
	if one == nil {
		one = &posting{}
		if p.byKey == nil {
			p.byKey = map[string]*posting{}
		}
		p.byKey[string(key)] = one
		p.size += len(key) + 128
	}
	p.size += 2
	if in {
		one.came = append(one.came, low)
	} else {
		one.went = append(one.went, low)
	}
}

// flush writes what was collected, in the order of the keys, and forgets it.
func (p *postings) flush(write func(key, operand []byte) error) error {
	keys := make([]string, 0, len(p.byKey))
	for key := range p.byKey {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		one := p.byKey[key]
		p.value = bitmap.AppendOperand(p.value[:0], one.came, one.went)
		if err := write([]byte(key), p.value); err != nil {
			return err
		}
	}
	clear(p.byKey)
	p.size = 0
	return nil
}

const (
	// foldAfter bounds the operands of a set that readers have to put together: by then the writer writes it whole.
	foldAfter = 64
	// maxFolds bounds the sets whose operands are counted.
	maxFolds = 4096
	// smallSet is up to how many bytes a set is rather written whole than changed.
	smallSet = 256
)

// setHashes makes the hashes by which operands are counted. Sets that share one are written whole sooner.
var setHashes = maphash.MakeSeed()

// Folds counts the operands of sets since they were written whole, by hashes of their keys, of those met lately.
type Folds struct{ operands map[uint64]uint8 }

func (f *Folds) count(set uint64, n uint8) {
	if f.operands == nil || n == 1 && len(f.operands) >= maxFolds {
		f.operands = map[uint64]uint8{}
	}
	f.operands[set] = n
}

// mergeSet writes an operand of a set, or the whole set: where readers have enough of its operands, and where it got small.
// One that has no number any more goes.
func (x *Writer) mergeSet(key, operand []byte) error {
	if x.to.Folds == nil {
		return x.to.Out.Merge(key, operand)
	}
	set := maphash.Bytes(setHashes, key)
	n := x.to.Folds.operands[set] + 1
	if n < foldAfter && !bitmap.Removes(operand) {
		x.to.Folds.count(set, n)
		return x.to.Out.Merge(key, operand)
	}
	value, err := x.fold(key, operand)
	switch {
	case err != nil:
		return err
	case bitmap.IsEmpty(value):
		delete(x.to.Folds.operands, set)
		return x.to.Out.Drop(key)
	case n < foldAfter && len(value) > smallSet:
		x.to.Folds.count(set, n)
		return x.to.Out.Merge(key, operand)
	}
	delete(x.to.Folds.operands, set)
	return x.to.Out.Put(key, value, nil)
}

// fold puts what is stored of a set and an operand together.
func (x *Writer) fold(key, operand []byte) ([]byte, error) {
	var stored []byte
	if x.to.Stored.SeekGE(key) && bytes.Equal(x.to.Stored.Key(), key) {
		var err error
		if stored, err = x.to.Stored.ValueAndErr(); err != nil {
			return nil, err
		}
	}
	if err := x.to.Stored.Error(); err != nil {
		return nil, err
	}
	return bitmap.Fold(stored, operand)
}
