package store

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

// stroke puts a number into the set of a key, or takes it out. The key still lacks its chunk.
func (p *postings) stroke(key []byte, n uint32, in bool) {
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
	// foldAfter bounds the operands of a set that readers have to put together: by then the writer writes it anew.
	foldAfter = 64
	// maxFolds bounds the sets whose operands are counted.
	maxFolds = 4096
)

// setHashes makes the hashes by which operands are counted. Sets that share one are written anew sooner.
var setHashes = maphash.MakeSeed()

// smallSet is up to how many bytes a set is rather written anew than changed.
const smallSet = 256

// mergeSet writes an operand of a set, or the set anew: where readers have enough of its operands, and where it got small.
// One that has no number any more goes.
func (w *writer) mergeSet(a *account, key, operand []byte) error {
	if w.loading {
		return w.out.merge(key, operand)
	}
	set := maphash.Bytes(setHashes, key)
	n := a.folds[set] + 1
	if n < foldAfter && !bitmap.Removes(operand) {
		a.countFold(set, n)
		return w.out.merge(key, operand)
	}
	value, err := w.fold(key, operand)
	switch {
	case err != nil:
		return err
	case bitmap.IsEmpty(value):
		delete(a.folds, set)
		return w.out.drop(key)
	case n < foldAfter && len(value) > smallSet:
		a.countFold(set, n)
		return w.out.merge(key, operand)
	}
	delete(a.folds, set)
	return w.out.put(key, value, nil)
}

func (a *account) countFold(set uint64, n uint8) {
	if a.folds == nil || n == 1 && len(a.folds) >= maxFolds {
		a.folds = map[uint64]uint8{}
	}
	a.folds[set] = n
}

// fold puts what is stored of a set and an operand together.
func (w *writer) fold(key, operand []byte) ([]byte, error) {
	var stored []byte
	if w.it.SeekGE(key) && bytes.Equal(w.it.Key(), key) {
		var err error
		if stored, err = w.it.ValueAndErr(); err != nil {
			return nil, err
		}
	}
	if err := w.it.Error(); err != nil {
		return nil, err
	}
	return bitmap.Fold(stored, operand)
}
