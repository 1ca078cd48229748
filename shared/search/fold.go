package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold brings a text to one case and one form of every character (NFKC) and takes diacritics away where they do not make
// another letter: from Latin letters, the Greek tonos, the dots of ё, the Arabic harakat. Characters that only affect how
// a text is set, such as a soft hyphen, go too.
func fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	var out strings.Builder
	out.Grow(len(text))
	var base rune
	text = strings.ToValidUTF8(text, "\ufffd") // or letters behind a byte that is none are not taken apart
	for _, r := range norm.NFD.String(cases.Fold().String(norm.NFKC.String(text))) {
		if unicode.Is(unicode.Cherokee, r) {
			r = unicode.ToUpper(r) // Fold makes large letters small there, and small ones large
		}
		switch plain, known := plainLetters[r]; {
		case unicode.Is(unicode.Mn, r) && isDiacritic(base, r):
			continue
		case unicode.Is(unicode.Cf, r) && r != zeroWidthSpace:
			continue // a mark behind it is one of the letter before it
		case known:
			out.WriteString(plain)
		default:
			out.WriteRune(r)
		}
		if !unicode.Is(unicode.Mn, r) {
			base = r
		}
	}
	return norm.NFC.String(out.String())
}

// zeroWidthSpace is where a word ends in scripts without spaces.
const zeroWidthSpace = '\u200b'

// plainLetters are characters whose difference to plain ones no decomposition shows.
var plainLetters = map[rune]string{
	'ł': "l", 'ø': "o", 'đ': "d", 'ħ': "h", 'ŧ': "t", 'ı': "i", 'æ': "ae", 'œ': "oe",
	'’': "'", '‘': "'", 'ʼ': "'",
}

// isDiacritic reports whether a mark on a letter leaves it the same letter.
func isDiacritic(base, mark rune) bool {
	const acute, diaeresis, fathatan, sukun = '\u0301', '\u0308', '\u064b', '\u0652'
	switch {
	case unicode.Is(unicode.Latin, base):
		return true
	case unicode.Is(unicode.Greek, base):
		return mark == acute
	case base == 'е':
		return mark == diaeresis
	}
	return fathatan <= mark && mark <= sukun
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
