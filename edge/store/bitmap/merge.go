package bitmap

import (
	"bytes"
	"encoding/binary"
	"io"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// mergerName is written into the database: another meaning of stored sets needs another name.
const mergerName = "svc.numbers.1"

// NewMerger folds what releases say of one set of numbers. An operand is a set, whose numbers come in, or a change, of
// which some come in and some go out; the newest that names a number counts. So a release writes a few bytes to a set of
// thousands, and compactions put them together. Whoever takes the last number out deletes the row: a merge could not, since
// what an older row says would come back. An operand that cannot be read is an error of whoever reads the row.
func NewMerger() *pebble.Merger {
	return &pebble.Merger{Name: mergerName, Merge: func(_, value []byte) (pebble.ValueMerger, error) {
		m := setMergers.Get().(*setMerger)
		m.only = append(m.only[:0], value...)
		m.folded = false
		return m, nil
	}}
}

// setMerger implements pebble.ValueMerger. One operand alone stays as it is.
type setMerger struct {
	only    []byte
	folded  bool // the operands are in came and went
	changes bool // went holds something
	came    Block
	went    Block // none of came
	scratch Block
	out     []byte
}

var setMergers = sync.Pool{New: func() any { return &setMerger{} }}

// Close gives the memory of a result back.
func (m *setMerger) Close() error {
	setMergers.Put(m)
	return nil
}

func (m *setMerger) fold() error {
	if m.folded {
		return nil
	}
	m.folded, m.changes = true, false
	clear(m.came[:])
	clear(m.went[:])
	return m.MergeNewer(m.only)
}

// splitOperand returns the two sets of an operand; went is nil where nothing goes out.
func splitOperand(v []byte) (came, went []byte, err error) {
	if len(v) == 0 || v[0] != formChange {
		return v, nil, nil
	}
	length, n := binary.Uvarint(v[1:])
	if n <= 0 || length > uint64(len(v)-1-n) {
		return nil, nil, errDamagedSet
	}
	v = v[1+n:]
	return v[:length], v[length:], nil
}

// appendChange writes an operand of which some numbers come in and others go out.
func appendChange(dst []byte, came, went *Block) []byte {
	var space [64]byte
	first := came.append(space[:0])
	dst = append(dst, formChange)
	dst = binary.AppendUvarint(dst, uint64(len(first)))
	return went.append(append(dst, first...))
}

// MergeNewer takes an operand that is newer than all before. Of what it says of one number twice, that it comes in counts.
func (m *setMerger) MergeNewer(value []byte) error {
	if err := m.fold(); err != nil {
		return err
	}
	came, went, err := splitOperand(value)
	if err != nil {
		return err
	}
	if went != nil {
		m.changes = true
		if err := m.each(went, func(n uint16) { m.came.remove(n); m.went.add(n) }, func(all *Block) { m.came.andNot(all); m.went.or(all) }); err != nil {
			return err
		}
	}
	if !m.changes {
		return m.came.AddStored(came)
	}
	return m.each(came, func(n uint16) { m.went.remove(n); m.came.add(n) }, func(all *Block) { m.went.andNot(all); m.came.or(all) })
}

// MergeOlder takes an operand that is older than all before.
func (m *setMerger) MergeOlder(value []byte) error {
	if err := m.fold(); err != nil {
		return err
	}
	came, went, err := splitOperand(value)
	if err != nil {
		return err
	}
	if !m.changes {
		err = m.came.AddStored(came)
	} else {
		err = m.each(came, func(n uint16) {
			if !m.went.has(n) {
				m.came.add(n)
			}
		}, func(all *Block) { all.andNot(&m.went); m.came.or(all) })
	}
	if err != nil || went == nil {
		return err
	}
	m.changes = true
	return m.each(went, func(n uint16) {
		if !m.came.has(n) {
			m.went.add(n)
		}
	}, func(all *Block) { all.andNot(&m.came); m.went.or(all) })
}

// each gives the numbers of a stored set to one where they are few, and to all otherwise.
func (m *setMerger) each(v []byte, one func(uint16), all func(*Block)) error {
	if len(v) > 0 && v[0] == formList {
		return eachListed(v[1:], one)
	}
	clear(m.scratch[:])
	if err := m.scratch.AddStored(v); err != nil {
		return err
	}
	all(&m.scratch)
	return nil
}

// Finish implements pebble.ValueMerger. Below the oldest operand there is nothing that could go out.
func (m *setMerger) Finish(includesBase bool) ([]byte, io.Closer, error) {
	if !m.folded {
		if !includesBase || len(m.only) == 0 || m.only[0] != formChange {
			return m.only, m, nil
		}
		if err := m.fold(); err != nil {
			return nil, nil, err
		}
	}
	if m.changes && !includesBase {
		m.out = appendChange(m.out[:0], &m.came, &m.went)
	} else {
		m.out = m.came.append(m.out[:0])
	}
	return m.out, m, nil
}

// IsEmpty reports whether a stored set is that of no number.
func IsEmpty(v []byte) bool { return len(v) == 1 && v[0] == formList }

// AppendOperand writes what came into a set and what went out of it. Of a number that did both, that it came in counts.
func AppendOperand(dst []byte, came, went []uint16) []byte {
	switch {
	case len(went) == 0 && len(came) == 1:
		return appendNumber(dst, came[0])
	case len(went) == 1 && len(came) == 0:
		return appendNumber(append(dst, formChange, 1, formList), went[0])
	}
	var in, out Block
	for _, n := range came {
		in.add(n)
	}
	if len(went) == 0 {
		return in.append(dst)
	}
	for _, n := range went {
		if !in.has(n) {
			out.add(n)
		}
	}
	return appendChange(dst, &in, &out)
}

// Removes reports whether an operand takes numbers out of a set.
func Removes(operand []byte) bool { return operand[0] == formChange }

// Fold puts a stored set and an operand together; stored is nil where there is no such set.
func Fold(stored, operand []byte) ([]byte, error) {
	if stored == nil {
		stored = []byte{formList}
	}
	came, gone, err := splitOperand(operand)
	if err != nil {
		return nil, err
	}
	if IsEmpty(came) && len(gone) == 3 && gone[0] == formList && bytes.Equal(stored, gone) {
		return came, nil // the only number of a value goes
	}
	var set, went Block
	if gone != nil {
		err = went.AddStored(gone)
	}
	if err == nil {
		err = set.AddStored(stored)
	}
	if err == nil {
		set.andNot(&went)
		err = set.AddStored(came)
	}
	return set.append(nil), err
}
