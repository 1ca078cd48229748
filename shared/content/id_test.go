package content

import (
	"bytes"
	"testing"

	"go.jetify.com/typeid"
	"pgregory.net/rapid"

	"svc/shared/testrand"
)

func TestIDsAreTypeIDs(t *testing.T) {
	last := EntryID("")
	for range 20_000 { // several times what one millisecond has numbers for
		id := NewID[EntryID]()
		parsed, err := typeid.FromString(string(id))
		if err != nil {
			t.Fatalf("%s is no TypeID: %v", id, err)
		}
		b, ok := Bytes(id)
		if !ok || !bytes.Equal(b[:], parsed.UUIDBytes()) {
			t.Fatalf("%s: bytes %x, want %x", id, b, parsed.UUIDBytes())
		}
		if FromBytes[EntryID](b) != id {
			t.Fatalf("%s came back as %s", id, FromBytes[EntryID](b))
		}
		if id <= last {
			t.Fatalf("%s after %s: ids must rise", id, last)
		}
		last = id
	}
}

func TestIDTextSortsAsItsBytes(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		var a, b [16]byte
		copy(a[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "a"))
		copy(b[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "b"))
		ta, tb := FromBytes[EntryID](a), FromBytes[EntryID](b)
		if (ta < tb) != (bytes.Compare(a[:], b[:]) < 0) {
			t.Fatalf("%s and %s sort unlike %x and %x", ta, tb, a, b)
		}
		if back, ok := Bytes(ta); !ok || back != a {
			t.Fatalf("%x came back as %x", a, back)
		}
	})
}

func TestParseIDRefusesWhatIsNoID(t *testing.T) {
	good := string(NewID[EntryID]())
	for _, s := range []string{
		"", "ent_", good[:len(good)-1], good + "0", "rev" + good[3:], "ENT" + good[3:],
		"ent_8zzzzzzzzzzzzzzzzzzzzzzzzz", "ent_0123456789abcdefghijkmnpqr", "ent-" + good[4:],
	} {
		if id, err := ParseID[EntryID](s); err == nil {
			t.Errorf("%q was taken as %s", s, id)
		}
	}
	if _, err := ParseID[EntryID](good); err != nil {
		t.Fatal(err)
	}
}
