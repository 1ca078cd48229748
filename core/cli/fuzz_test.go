package cli

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Whatever a service answers, nothing of it steers the terminal, and what is broken fits and has every word.
func FuzzText(f *testing.F) {
	for _, text := range []string{"", "plain text", "\x1b[2J\x1b]0;title\x07", "春の号 한글 e\u0301", "a\u202Eb\u2066c", "\xff\xfe", "one two three four five six seven"} {
		f.Add(text, 24)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		safe := clean(text)
		if !utf8.ValidString(safe) || strings.ContainsFunc(safe, unicode.IsControl) {
			t.Fatalf("%q became %q", text, safe)
		}
		lines := strings.Split(string((&page{width: n}).wrap(text, 0)), "\n")
		for _, line := range lines {
			if n >= leastWrap && utf8.RuneCountInString(line) > n && len(word.FindAllString(line, -1)) > 1 {
				t.Fatalf("%q in %d columns has the line %q", safe, n, line)
			}
		}
		if all := strings.Join(lines, " "); !slices.Equal(strings.Fields(all), strings.Fields(safe)) {
			t.Fatalf("%q in %d columns is %q", safe, n, all)
		}
		p := &page{width: n}
		var rows table
		rows.row(bold, "a", text, text)
		rows.row(plain, text, "b", "")
		if p.table(rows); strings.ContainsFunc(strings.ReplaceAll(p.String(), "\n", ""), unicode.IsControl) {
			t.Fatalf("%q became the table %q", text, p.String())
		}
	})
}
