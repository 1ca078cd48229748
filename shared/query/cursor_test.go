package query

import (
	"encoding/base64"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/testrand"
)

var testKey = []byte("0123456789abcdef0123456789abcdef")

func testBinding() Binding {
	return Binding{Project: "prj_a", Collection: "posts", Order: "-title", Filters: "f", Search: "s", Locale: "de"}
}

func drawCursor(t *rapid.T) Cursor {
	return Cursor{
		Pin: rapid.Uint64().Draw(t, "pin"), Moving: rapid.Bool().Draw(t, "moving"), Missing: rapid.Bool().Draw(t, "missing"),
		Cut:   rapid.Bool().Draw(t, "cut"),
		Value: rapid.StringN(0, 100, maxCursorValue).Draw(t, "value"),
		Entry: content.FromBytes[content.EntryID]([16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "entry"))),
	}
}

func TestCursorComesBackUnderItsBinding(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		b, c := testBinding(), drawCursor(t)
		text, err := b.Seal(testKey, c)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			t.Fatalf("%q needs escaping in a query string", text)
		}
		if got, err := b.Open(testKey, text); err != nil || got != c {
			t.Fatalf("%+v came back as %+v, %v", c, got, err)
		}
	})
}

func TestCursorIsBoundToEverythingThatSelects(t *testing.T) {
	b := testBinding()
	text, err := b.Seal(testKey, Cursor{Value: "a", Entry: content.NewID[content.EntryID]()})
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Binding){
		"project":    func(b *Binding) { b.Project = "prj_b" },
		"collection": func(b *Binding) { b.Collection = "pages" },
		"order":      func(b *Binding) { b.Order = "" },
		"filters":    func(b *Binding) { b.Filters = "" },
		"search":     func(b *Binding) { b.Search = "" },
		"locale":     func(b *Binding) { b.Locale = "" },
		"a boundary": func(b *Binding) { b.Filters, b.Search = "fs", "" },
	} {
		other := b
		change(&other)
		if _, err := other.Open(testKey, text); !fault.Is(err, fault.ValidationFailed) {
			t.Errorf("opens under another %s: %v", name, err)
		}
	}
	if _, err := b.Open([]byte("another key of more than 16 bytes"), text); !fault.Is(err, fault.ValidationFailed) {
		t.Errorf("opens under another key: %v", err)
	}
}

func TestCursorWithOneBitChangedIsRefused(t *testing.T) {
	b := testBinding()
	text, err := b.Seal(testKey, Cursor{Pin: 300, Value: "abc", Entry: content.NewID[content.EntryID]()})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(raw) * 8 {
		raw[i/8] ^= 1 << (i % 8)
		if _, err := b.Open(testKey, base64.RawURLEncoding.EncodeToString(raw)); !fault.Is(err, fault.ValidationFailed) {
			t.Errorf("bit %d: %v", i, err)
		}
		raw[i/8] ^= 1 << (i % 8)
	}
	for _, bad := range []string{"", "a", text[:len(text)-1], text + "A", text + "\n", text[:9] + "\n" + text[9:], "=" + text,
		strings.Repeat("A", 4000), "čau"} {
		if _, err := b.Open(testKey, bad); !fault.Is(err, fault.ValidationFailed) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestCursorNeedsAKeyAndAnID(t *testing.T) {
	b := testBinding()
	id := content.NewID[content.EntryID]()
	for name, seal := range map[string]func() (string, error){
		"a short key": func() (string, error) { return b.Seal(testKey[:15], Cursor{Entry: id}) },
		"no id":       func() (string, error) { return b.Seal(testKey, Cursor{Entry: "ent_x"}) },
		"a long value": func() (string, error) {
			return b.Seal(testKey, Cursor{Entry: id, Value: strings.Repeat("x", maxCursorValue+1)})
		},
	} {
		if text, err := seal(); err == nil {
			t.Errorf("sealed with %s: %s", name, text)
		}
	}
}

// An attacker who knows the form but not the key gets nowhere; whatever opens was sealed.
func FuzzCursor(f *testing.F) {
	b := testBinding()
	sealed, err := b.Seal(testKey, Cursor{Pin: 7, Value: "a0", Entry: "ent_01h455vb4pex5vsknk084sn02q"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sealed)
	f.Add(sealed[:20])
	f.Add("")
	f.Add("AQAA")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := b.Open(testKey, text)
		if err != nil {
			if !fault.Is(err, fault.ValidationFailed) {
				t.Fatal(err)
			}
			return
		}
		if back, err := b.Seal(testKey, c); err != nil || back != text {
			t.Fatalf("%q opens and seals as %q, %v", text, back, err)
		}
	})
}

// The bytes of a cursor are read only after they were authenticated; still nothing in them may do harm.
func FuzzCursorBody(f *testing.F) {
	f.Add([]byte{1, 0, 7, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 'x'})
	f.Add([]byte{1, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, body []byte) {
		if c, ok := readCursor(body); ok && !content.IsID[content.EntryID](string(c.Entry)) {
			t.Fatalf("%+v", c)
		}
	})
}
