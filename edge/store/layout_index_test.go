package store

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
		va, vb := appendValue(nil, a), appendValue(nil, b)
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
		back, ok := readValue(nil, va)
		if long := isLong(va); !ok || long != (len(a) > longValue) || !bytes.Equal(back, a[:min(len(a), longValue)]) {
			t.Fatalf("%q came back as %q, %v", a, back, ok)
		}
	})
}

func FuzzReadValue(f *testing.F) {
	f.Add(appendValue(nil, []byte("a\x00b")))
	f.Add(appendValue(nil, bytes.Repeat([]byte{0}, 200)))
	f.Add([]byte{0, 0xff, 0})
	f.Add(append([]byte{0, endOfStart}, make([]byte, valueHash)...)) // a long value must be long
	f.Add(append(bytes.Repeat([]byte{'x'}, longValue+1), 0, endOfValue))
	f.Fuzz(func(t *testing.T, v []byte) {
		key, ok := readValue(nil, v)
		if !ok {
			return
		}
		again := appendValue(nil, key)
		if isLong(v) { // of which the hash cannot be told from its beginning
			again = append(append(appendEscaped(nil, key), 0, endOfStart), v[len(v)-valueHash:]...)
		}
		if !bytes.Equal(again, v) {
			t.Fatalf("%x is read as %x, which is written as %x", v, key, again)
		}
	})
}

func FuzzFacts(f *testing.F) {
	defs := newDefinitions()
	for i, class := range []byte("tnbdi") {
		d, err := readDefinition(uint32(i+1), append([]byte{class, 1, 1}, 'f'))
		if err != nil {
			f.Fatal(err)
		}
		defs.add(d)
	}
	f.Add([]byte(`{"f":{"en":"a","de":null},"g":1}`))
	f.Add([]byte(`{"f":1.5e3}`))
	f.Fuzz(func(t *testing.T, fields []byte) {
		var once, twice facts
		if once.read(defs.byField, fields) != nil {
			return
		}
		if err := twice.read(defs.byField, fields); err != nil || len(once.list) != len(twice.list) {
			t.Fatalf("%s says %d things, then %d: %v", fields, len(once.list), len(twice.list), err)
		}
		for i := range once.list {
			if i > 0 && once.list[i-1].compare(&once.list[i]) > 0 {
				t.Fatal("they are not in order")
			}
			if v := once.list[i].value; v != nil {
				if _, ok := readValue(nil, v); !ok {
					t.Fatalf("the value %x cannot be read", v)
				}
			}
		}
	})
}

func FuzzReadDefinition(f *testing.F) {
	f.Add((&definition{field: "title", class: 't', built: true}).append(nil))
	f.Add((&definition{field: "rating", class: 'n', done: make([]byte, progressLen)}).append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := readDefinition(1, b)
		if err != nil {
			return
		}
		again, err := readDefinition(1, d.append(nil))
		if err != nil || again.name() != d.name() || again.built != d.built || !bytes.Equal(again.done, d.done) {
			t.Fatalf("%+v came back as %+v, %v", d, again, err)
		}
	})
}
