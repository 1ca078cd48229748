package store

import "testing"

// A sheet that is known is found by the places it holds and by no others, whatever was remembered in between; and its fill
// is that of its range, even when the range ended earlier since.
func TestKnownSheetsAreFoundByWhatTheyHold(t *testing.T) {
	t.Parallel()
	at := func(n int) *sortKey { return &sortKey{byte(n >> 8), byte(n)} }
	var k knownSheets
	for i := range maxKnownSheets { // ranges of eight places, two apart, from the middle outwards
		n := maxKnownSheets/2 + (i+1)/2*(1-i%2*2)
		k.remember(sheet{c: 1, first: *at(10 * n), last: *at(10*n + 7), from: uint64(n)}, fill{rows: n})
	}
	shorter := sheet{c: 1, first: *at(70), last: *at(73), from: 9}
	k.remember(shorter, fill{rows: 5, base: 4})
	for n := range 10 * maxKnownSheets {
		from, last := uint64(n/10), 7
		if n/10 == 7 {
			from, last = shorter.from, 3
		}
		s, found := k.holding(at(n))
		if found != (n%10 <= last) || found && s.from != from {
			t.Fatalf("%d: found %v, from %d", n, found, s.from)
		}
	}
	if f, known := k.fillOf(&shorter); !known || f != (fill{rows: 5, base: 4}) {
		t.Errorf("the fill is %v, known %v", f, known)
	}
	next := sheet{c: 1, first: *at(8), last: *at(9), from: 3}
	k.remember(next, fill{rows: 2})
	if s, found := k.holding(at(9)); len(k) != 1 || !found || s != next {
		t.Errorf("with too many, %d are kept, the new one among them: %v", len(k), found)
	}
	if _, found := k.holding(at(7)); found {
		t.Error("a place before all is held")
	}
}
