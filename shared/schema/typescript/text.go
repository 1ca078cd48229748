package typescript

import (
	"fmt"
	"strings"
	"unicode"
)

// The joiners are part of how words and emoji are spelled.
const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)

// quote writes s as a string literal. What an editor would not show as itself is escaped: control characters, spaces
// other than the plain one, and marks that change the direction of text.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r) || r == zeroWidthJoiner || r == zeroWidthNonJoiner:
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\u{%X}`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func quoted(texts []string) []expr {
	all := make([]expr, len(texts))
	for i, text := range texts {
		all[i] = leaf(quote(text))
	}
	return all
}

// isIdentifier reports whether s can be a member's key without quotes.
func isIdentifier(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		if !(c >= 'a' && c <= 'z' || s[i] == '_' || s[i] == '$' || i > 0 && s[i] >= '0' && s[i] <= '9') {
			return false
		}
	}
	return s != ""
}

// memberKey writes s as the key of a member.
func memberKey(s string) string {
	if isIdentifier(s) {
		return s
	}
	return quote(s)
}
