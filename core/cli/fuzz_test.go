package cli

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Whatever a service answers, nothing of it steers the terminal.
func FuzzText(f *testing.F) {
	for _, text := range []string{"", "plain text", "\x1b[2J\x1b]0;title\x07", "春の号 한글 e\u0301", "a\u202Eb\u2066c", "\xff\xfe"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		safe := clean(text)
		if !utf8.ValidString(safe) || strings.ContainsFunc(safe, unicode.IsControl) {
			t.Fatalf("%q became %q", text, safe)
		}
		p := &page{}
		var rows table
		rows.row(bold, "a", text, text)
		rows.row(plain, text, "b", "")
		if p.table(rows); strings.ContainsFunc(strings.ReplaceAll(p.String(), "\n", ""), unicode.IsControl) {
			t.Fatalf("%q became the table %q", text, p.String())
		}
	})
}
