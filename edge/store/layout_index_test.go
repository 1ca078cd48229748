package store

import (
	"bytes"
	"svc/edge/store/layout"
	"testing"
)

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
				if _, ok := layout.ReadValue(nil, v); !ok {
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
