package layout

import (
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"

	"svc/shared/testrand"
)

// TestChangesOfARowMergeInAnyGroups: whichever neighbours become one first, as in compactions, the row has the same numbers.
func TestChangesOfARowMergeInAnyGroups(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfNDistinct(rapid.Uint32Range(0, 30), 0, 12, rapid.ID)
		set := roaring.BitmapOf(numbers.Draw(t, "stored")...)
		first, err := AppendNumbers(nil, set)
		if err != nil {
			t.Fatal(err)
		}
		operands := [][]byte{first}
		for range rapid.IntRange(0, 6).Draw(t, "changes") {
			came, went := numbers.Draw(t, "came"), numbers.Draw(t, "went")
			slices.Sort(came)
			slices.Sort(went)
			set.AndNot(roaring.BitmapOf(went...))
			set.AddMany(came)
			operand, err := AppendChange(nil, came, went)
			if err != nil {
				t.Fatal(err)
			}
			operands = append(operands, operand)
		}
		for len(operands) > 1 {
			at := rapid.IntRange(0, len(operands)-2).Draw(t, "at")
			one := merge(t, operands[at:at+2], rapid.Bool().Draw(t, "from the older"), at == 0)
			operands = slices.Replace(operands, at, at+2, one)
		}
		got := roaring.New()
		if err := AddNumbers(got, merge(t, operands, false, true)); err != nil || !got.Equals(set) {
			t.Errorf("%v, %v; want %v", got, err, set)
		}
	})
}

// merge merges operands, the oldest first.
func merge(t *rapid.T, operands [][]byte, upwards, base bool) []byte {
	begin, rest := operands[0], operands[1:]
	if !upwards {
		begin, rest = operands[len(operands)-1], operands[:len(operands)-1]
	}
	m, err := Sets.Merge(nil, begin)
	for _, operand := range rest {
		if err == nil && upwards {
			err = m.MergeNewer(operand)
		} else if err == nil {
			err = m.MergeOlder(operand)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	value, _, err := m.Finish(base)
	if err != nil {
		t.Fatal(err)
	}
	return value
}
