package cli

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Whatever a service answers, nothing of it steers the terminal, and what is cut or broken fits.
func FuzzText(f *testing.F) {
	for _, text := range []string{"", "plain text", "\x1b[2J\x1b]0;title\x07", "春の号 한글 e\u0301", "a\u202Eb\u2066c", "\xff\xfe", "one two three four five six seven"} {
		f.Add(text, 24)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		safe := clean(text)
		if !utf8.ValidString(safe) || strings.ContainsFunc(safe, unicode.IsControl) {
			t.Fatalf("%q became %q", text, safe)
		}
		if short := cut(safe, n); n > 0 && columns(short) > n {
			t.Fatalf("%q in %d columns is %q", safe, n, short)
		}
		for _, line := range wrap(safe, n) {
			if n >= 20 && columns(line) > n && strings.ContainsFunc(strings.TrimSpace(line), unicode.IsSpace) && line != safe {
				t.Fatalf("%q in %d columns has the line %q", safe, n, line)
			}
		}
	})
}
