package value

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"svc/shared/testrand"
)

// plainHolds is what Text.Holds says, looking at every place.
func plainHolds(text, term string) bool {
	text, term = fold(text), fold(term)
	for at := range text {
		if term != "" && strings.HasPrefix(text[at:], term) && !joined(text, at) && !joined(text, at+len(term)) {
			return true
		}
	}
	return false
}

func TestTermsAreFoundAtEveryPlace(t *testing.T) {
	pieces := []string{
		"a", "B", "Foo", "bar", "foobar", " ", "  ", "\t", "\n", "\u00a0", "\u3000", "\u2028", "\u0085", "é", "e\u0301", "\u0301", "\u0300\u0327", "ß", "ẞ", "ς", "Σ", "İ", "ı", "ﬁ", "㎏", "①", "Ａ", "ｱﾞ",
		"中", "あ", "カ", "한", "ㅎ", "ก", "\u1100\u1161", "…", "´", "¨", "\u200b", "\u200d", "-", "1", "٣", "🎈", "\xff", "\xe4", strings.Repeat("\u0301", 40), "ΑΣ", "Ǆ", "ſ", "K",
	}
	testrand.Check(t, func(t *rapid.T) {
		of := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.String()), 0, 12)
		text, term := strings.Join(of.Draw(t, "text"), ""), strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 3).Draw(t, "term"), "")
		if got, want := NewText(text).Holds(NewTerm(term)), plainHolds(text, term); got != want {
			t.Fatalf("%q holds %q: %v, want %v", text, term, got, want)
		}
	})
}
