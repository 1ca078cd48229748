package column

import (
	"bytes"
	"cmp"
	"slices"
)

// extend puts the documents that came since where they belong.
func (v *Values) extend(documents *Documents, count uint32, read ReadKey) (*Values, error) {
	next := *v
	next.Documents = documents
	next.late = slices.Clone(v.late)
	next.lateRanks = slices.Clone(v.lateRanks)
	for document := v.Ranked(); document < count; document++ {
		key, rank, err := next.rankOf(document, read)
		if err != nil {
			return nil, err
		}
		next.lateRanks, next.lateKeys = append(next.lateRanks, rank), append(next.lateKeys, key)
		at, _ := slices.BinarySearchFunc(next.late, document, next.compareLate)
		next.late = slices.Insert(next.late, at, document)
	}
	next.rankLate()
	return &next, nil
}

// rankOf reads the value of a document and ranks it among those read from the index. Most documents have that of the one before.
func (v *Values) rankOf(document uint32, read ReadKey) ([]byte, Rank, error) {
	key, has, err := read(document)
	if err != nil || !has {
		return nil, Missing, err
	}
	key = bytes.Clone(key) // which read may use again
	if before := v.before[document]; before < v.Ranked() && v.Rank(before) < Missing {
		if former, _, err := read(before); err != nil || bytes.Equal(former, key) {
			return key, v.Rank(before), err
		}
	}
	at, equal, err := v.place(key, document, read)
	if err != nil {
		return nil, 0, err
	}
	if equal {
		return key, v.Rank(v.sorted[at]), nil
	}
	return key, Rank(at) << 33, nil
}

// compareLate orders later documents by what their ranks say of the others, then by value and entry.
func (v *Values) compareLate(a, b uint32) int {
	i, j := int(a)-len(v.ranks), int(b)-len(v.ranks)
	n := cmp.Compare(v.lateRanks[i]>>32, v.lateRanks[j]>>32)
	if n == 0 && !v.isExact(v.lateRanks[i]) {
		n = bytes.Compare(v.lateKeys[i], v.lateKeys[j])
	}
	return cmp.Or(n, v.Documents.compare(a, b))
}

// isExact reports whether a rank is one that documents in sorted have.
func (v *Values) isExact(r Rank) bool { return r>>32&1 == 1 }

// rankLate counts the values that stand between the same two of the others.
func (v *Values) rankLate() {
	for i, document := range v.late {
		at := int(document) - len(v.ranks)
		rank := v.lateRanks[at] >> 32 << 32
		if !v.isExact(rank) {
			rank += 2
			if i > 0 {
				before := int(v.late[i-1]) - len(v.ranks)
				if last := v.lateRanks[before]; last>>32 == rank>>32 {
					rank = last
					if !bytes.Equal(v.lateKeys[before], v.lateKeys[at]) {
						rank += 2
					}
				}
			}
		}
		v.lateRanks[at] = rank
	}
}
