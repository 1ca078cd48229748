package index

import (
	"bytes"
	"testing"

	"svc/edge/store/layout"
)

func FuzzFacts(f *testing.F) {
	defs := NewDefinitions()
	for i, class := range []byte("tnbdi") {
		d, err := readDefinition(uint32(i+1), []byte{class, 1, 1, 'f', 0})
		if err != nil {
			f.Fatal(err)
		}
		defs.Add(d)
	}
	f.Add([]byte(`{"f":{"en":"a","de":null},"g":1}`))
	f.Add([]byte(`{"f":1.5e3}`))
	f.Fuzz(func(t *testing.T, fields []byte) {
		var once, twice FieldValues
		if once.Read(defs.ByField, fields) != nil {
			return
		}
		if err := twice.Read(defs.ByField, fields); err != nil || len(once.List) != len(twice.List) {
			t.Fatalf("%s says %d things, then %d: %v", fields, len(once.List), len(twice.List), err)
		}
		for i := range once.List {
			if i > 0 && once.List[i-1].compare(&once.List[i]) > 0 {
				t.Fatal("they are not in order")
			}
			if _, ok := layout.ReadValue(nil, once.List[i].Value); !ok {
				t.Fatalf("the value %x cannot be read", once.List[i].Value)
			}
		}
	})
}

func FuzzReadDefinition(f *testing.F) {
	f.Add((&Definition{Name: Name{Field: "title", Class: 't'}, Built: true}).Append(nil))
	f.Add((&Definition{Name: Name{Field: "rating", Class: 'n'}, Done: make([]byte, progressLen)}).Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := readDefinition(1, b)
		if err != nil {
			return
		}
		again, err := readDefinition(1, d.Append(nil))
		if err != nil || again.Name != d.Name || again.Built != d.Built || !bytes.Equal(again.Done, d.Done) {
			t.Fatalf("%+v came back as %+v, %v", d, again, err)
		}
	})
}
