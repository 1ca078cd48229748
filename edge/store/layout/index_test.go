package layout

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"svc/shared/testrand"
)

var valueKey = rapid.Custom(func(t *rapid.T) []byte {
	n := rapid.SampledFrom([]int{0, 1, 2, 3, longValue - 1, longValue, longValue + 1, longValue + 2}).Draw(t, "length")
	key := bytes.Repeat([]byte{'x'}, n)
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		if n > 0 {
			key[rapid.IntRange(0, n-1).Draw(t, "at")] = rapid.SampledFrom([]byte{0, 1, 2, 'x', 0xff}).Draw(t, "byte")
		}
	}
	return key
})

// Values in keys compare as what they stand for, but for long ones with the same beginning, which only are equal or not; what
// follows a value does not matter.
func TestValuesInKeysSortAsTheyAre(t *testing.T) {
	t.Parallel()
	testrand.Check(t, func(t *rapid.T) {
		a, b := valueKey.Draw(t, "a"), valueKey.Draw(t, "b")
		va, vb := AppendValue(nil, a), AppendValue(nil, b)
		want, got := bytes.Compare(a, b), bytes.Compare(va, vb)
		if len(a) > longValue && len(b) > longValue && bytes.Equal(a[:longValue], b[:longValue]) {
			if (want == 0) != (got == 0) {
				t.Fatalf("%q and %q are told apart as %d", a, b, got)
			}
		} else if got != want {
			t.Fatalf("%q and %q sort as %d", a, b, got)
		}
		if tail := bytes.Compare(append(va, 0xff), append(vb, 0)); want != 0 && tail != got {
			t.Fatalf("%q and %q sort otherwise by what follows", a, b)
		}
		va = va[:len(va):len(va)]
		back, ok := ReadValue(nil, va)
		if long := IsLong(va); !ok || long != (len(a) > longValue) || !bytes.Equal(back, a[:min(len(a), longValue)]) {
			t.Fatalf("%q came back as %q, %v", a, back, ok)
		}
	})
}

func FuzzReadValue(f *testing.F) {
	f.Add(AppendValue(nil, []byte("a\x00b")))
	f.Add(AppendValue(nil, bytes.Repeat([]byte{0}, 200)))
	f.Add([]byte{0, 0xff, 0})
	f.Add(append([]byte{0, endOfStart}, make([]byte, ValueHash)...)) // a long value must be long
	f.Add(append(bytes.Repeat([]byte{'x'}, longValue+1), 0, endOfValue))
	f.Fuzz(func(t *testing.T, v []byte) {
		key, ok := ReadValue(nil, v)
		if !ok {
			return
		}
		again := AppendValue(nil, key)
		if IsLong(v) { // of which the hash cannot be told from its beginning
			again = append(append(appendEscaped(nil, key), 0, endOfStart), v[len(v)-ValueHash:]...)
		}
		if !bytes.Equal(again, v) {
			t.Fatalf("%x is read as %x, which is written as %x", v, key, again)
		}
	})
}
