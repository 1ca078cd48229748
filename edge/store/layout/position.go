package layout

import "bytes"

// Position is an entry's place in the default order: those with a rank first, by rank and then id, and then the others,
// the greatest id first.
type Position struct {
	Rank  string // empty: not arranged
	Entry EntryID
}

// Compare orders positions.
func (a *Position) Compare(b *Position) int {
	switch {
	case a.Rank == "" && b.Rank == "":
		return bytes.Compare(b.Entry[:], a.Entry[:])
	case a.Rank == "":
		return 1
	case b.Rank == "":
		return -1
	case a.Rank != b.Rank:
		if a.Rank < b.Rank {
			return -1
		}
		return 1
	}
	return bytes.Compare(a.Entry[:], b.Entry[:])
}

// HeadPosition reads what follows the collection in a key of TableHead.
func HeadPosition(b []byte) (s Position, err error) {
	switch {
	case len(b) == 17 && b[0] == headUnranked:
		return Position{Entry: EntryIn(b[1:])}, nil
	case len(b) > 17 && b[0] == headRanked:
		return RankedPosition(b[1:])
	}
	return s, Damaged("place in a list")
}

// RankedPosition reads a rank and the entry that follows it.
func RankedPosition(b []byte) (s Position, err error) {
	rank, rest, ok := cutRank(nil, b)
	if !ok || len(rest) != len(s.Entry) {
		return s, Damaged("rank")
	}
	s.Rank = string(rank)
	copy(s.Entry[:], rest)
	return s, nil
}
