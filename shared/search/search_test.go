package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestTerms(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"words", "The quick, brown fox.", "the@0 quick@1 brown@2 fox@3"},
		{"case and Latin diacritics", "Café ÅNGSTRÖM Łódź Straße", "cafe@0 angstrom@1 lodz@2 strasse@3"},
		{"ligatures", "Œuvre ﬁn", "oeuvre@0 fin@1"},
		{"й is a letter of its own, ё is not", "Мой ёж", "мой@0 еж@1"},
		{"Greek tonos", "Ελλάδα καλή", "ελλαδα@0 καλη@1"},
		{"harakat, but not hamza", "مُحَمَّد أمل", "محمد@0 أمل@1"},
		{"Devanagari vowel signs stay", "हिन्दी की", "हिन्दी@0 की@1"},
		{"a hyphen, an apostrophe, dots", "well-known l'eau l’eau svc.example", "well@0 known@1 l@2 eau@3 l@4 eau@5 svc@6 example@7"},
		{"numbers keep their dots", "v1.2.3 costs 1,000.50 (2024)", "v1.2.3@0 costs@1 1,000.50@2 2024@3"},
		{"Han", "東京都", "東@0 東京@0 京@1 京都@1 都@2"},
		{"a run ends at a space, Latin and punctuation", "東 京、都A都", "東@0 京@1 都@2 a@3 都@4"},
		{"Katakana with its long vowel, half-width too", "ﾀﾜｰ", "タ@0 タワ@0 ワ@1 ワー@1 ー@2"},
		{"Hangul, decomposed too", "한국 \u1112\u1161\u11ab", "한@0 한국@0 국@1 한@2"},
		{"Hangul next to Latin", "LG전자", "lg@0 전@1 전자@1 자@2"},
		{"what only affects the setting", "auto\u00admatic me\u200ddia", "automatic@0 media@1"},
		{"symbols are no words", "— ++ & …", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for term, position := range Terms(c.text) {
				got = append(got, fmt.Sprintf("%s@%d", term, position))
			}
			want := strings.Fields(c.want)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("terms of %q: %q; want %q", c.text, got, want)
			}
		})
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ q, want string }{
		{``, ``},
		{`  - "" -- !`, ``},
		{`Two words`, `two; words`},
		{`or`, `or`},
		{`-not this`, `-not; this`},
		{`- this`, `this`},
		{`--this`, `-this`},
		{`"a phrase" b`, `a+0 phrase+1; b`},
		{`-"a phrase"`, `-a+0 phrase+1`},
		{`well-known`, `well+0 known+1`},
		{`„deutsch so“ «et ça» “so”`, `deutsch+0 so+1; et+0 ca+1; so`},
		{`open "to the end`, `open; to+0 the+1 end+2`},
		{`glued"to this"on`, `glued; to+0 this+1; on`},
		{`東`, `東`},
		{`東京`, `東京`},
		{`"東京タワー tower"`, `東京+0 京タ+1 タワ+2 ワー+3 tower+5`},
	} {
		query, err := Parse(c.q)
		if err != nil {
			t.Errorf("Parse(%q): %v", c.q, err)
		}
		if got := query.String(); got != c.want {
			t.Errorf("Parse(%q) = %q; want %q", c.q, got, c.want)
		}
	}
}

func TestParseBounds(t *testing.T) {
	for _, c := range []struct {
		q  string
		ok bool
	}{
		{strings.Repeat("a ", 32), true},
		{strings.Repeat("a ", 33), false},
		{`"` + strings.Repeat("a ", 128) + `"`, true},
		{`"` + strings.Repeat("a ", 129) + `"`, false},
		{strings.Repeat("京", 129), true},
		{strings.Repeat("京", 130), false},
	} {
		if _, err := Parse(c.q); (err == nil) != c.ok {
			t.Errorf("Parse(%.20q, of %d bytes): %v", c.q, len(c.q), err)
		}
	}
}

// String writes a query as the tests do: clauses by semicolon, offsets where there are several terms.
func (q Query) String() string {
	var clauses []string
	for _, c := range q.Clauses {
		var terms []string
		for _, t := range c.Terms {
			if len(c.Terms) > 1 {
				t.Text += fmt.Sprintf("+%d", t.Offset)
			}
			terms = append(terms, t.Text)
		}
		clause := strings.Join(terms, " ")
		if c.Exclude {
			clause = "-" + clause
		}
		clauses = append(clauses, clause)
	}
	return strings.Join(clauses, "; ")
}

func TestMatch(t *testing.T) {
	texts := []string{"A well known phrase, and known well.", "Second value", "東京都の天気", "Он мой дом", "straße C++ 1.2.3"}
	for _, c := range []struct {
		q    string
		want bool
	}{
		{``, true},
		{`known SECOND`, true},
		{`known third`, false},
		{`well-known`, true},
		{`"known well"`, true},
		{`"known and"`, false},
		{`"well second"`, false},
		{`"well well"`, false},
		{`-third`, true},
		{`-second`, false},
		{`known -"phrase known"`, true},
		{`known -"phrase and"`, false},
		{`京`, true},
		{`京都`, true},
		{`東都`, false},
		{`東京都の`, true},
		{`мой`, true},
		{`мои`, false},
		{`STRASSE`, true},
		{`C++`, true},
		{`1.2.3`, true},
		{`1.2`, false},
	} {
		query, err := Parse(c.q)
		if err != nil {
			t.Fatal(err)
		}
		if got := query.Match(slices.Values(texts)); got != c.want {
			t.Errorf("%q matches: %v; want %v", c.q, got, c.want)
		}
	}
}

// FuzzSearch checks laws that hold for any text: every clause is made of terms of its text, a quoted text is found in
// itself, what is found is not found by its exclusion, and folding twice changes nothing.
func FuzzSearch(f *testing.F) {
	for _, seed := range []string{"", "well-known", `-"a b" c`, "東京タワー tower", "l’eau „x“ v1.2", "한국 हिन्दी مُحَمَّد", "\u0301a\u200b\xff", "İıΐ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if once := fold(text); fold(once) != once {
			t.Errorf("fold(%q) = %q, and again %q", text, once, fold(once))
		}
		query, err := Parse(`"` + strings.NewReplacer(`"`, " ", "“", " ", "”", " ", "„", " ", "«", " ", "»", " ").Replace(text) + `"`)
		if err != nil || len(query.Clauses) == 0 {
			return
		}
		if !query.Match(slices.Values([]string{text})) {
			t.Errorf("%q is not found in itself by %q", text, query)
		}
		query.Clauses[0].Exclude = true
		if query.Match(slices.Values([]string{text})) {
			t.Errorf("%q is found by its exclusion", text)
		}
	})
}
