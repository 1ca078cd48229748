package value

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gosimple/unidecode"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// CountWords counts the words of a text: runs between white space that hold a letter or a digit, so "well-known" is one
// and a dash is none. Chinese and Japanese put no spaces between words; each of their characters counts as one.
func CountWords(text string) int {
	n, counted := 0, false
	for _, r := range text {
		switch {
		case isSyllable(r):
			n++
			counted = false
		case unicode.IsSpace(r):
			counted = false
		case !counted && isWordRune(r):
			n++
			counted = true
		}
	}
	return n
}

// Term is a word or phrase to look for in texts.
type Term struct{ folded string }

// NewTerm prepares a term.
func NewTerm(term string) Term { return Term{fold(term)} }

// Text is a text made ready to be searched for terms.
type Text struct{ folded string }

// NewText prepares a text.
func NewText(text string) Text { return Text{fold(text)} }

// fold brings text to one case, one form of every character (NFKC), and single spaces.
func fold(text string) string {
	return strings.Join(strings.Fields(cases.Fold().String(norm.NFKC.String(text))), " ")
}

// Holds reports whether the text holds the term as words of its own: upper and lower case, compatibility forms and white
// space do not matter, and "ass" is not in "class". In scripts without spaces between words it may stand anywhere.
func (t Text) Holds(term Term) bool {
	if term.folded == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(t.folded[from:], term.folded)
		if i < 0 {
			return false
		}
		at := from + i
		if !joined(t.folded, at) && !joined(t.folded, at+len(term.folded)) {
			return true
		}
		_, size := utf8.DecodeRuneInString(t.folded[at:])
		from = at + size
	}
}

// joined reports whether the runes on both sides of an offset belong to one word.
func joined(text string, at int) bool {
	if at == 0 || at == len(text) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	return isWordRune(before) && isWordRune(after) && !unspaced(before) && !unspaced(after)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// isSyllable reports whether a rune counts as a word of its own.
func isSyllable(r rune) bool {
	const first = '\u2E80' // of the characters for radicals; what comes before is of other scripts
	return r >= first && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// unspaced reports whether a rune is of a script whose words are not set apart: those without spaces, and Korean, where
// particles follow a word directly.
func unspaced(r rune) bool {
	return isSyllable(r) || unicode.In(r, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// maxDerivedSlug bounds derived slugs, in characters; the pattern allows more.
const maxDerivedSlug = 96

// Slugify derives a slug from a text: transliterated to ASCII, lower case, words joined by hyphens, cut between
// words where it would be long. The result is empty where nothing of the text can be part of a slug.
func Slugify(text string) string {
	var b strings.Builder
	gap := false
	for _, c := range []byte(strings.ToLower(unidecode.Unidecode(text))) {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			b.WriteByte(c)
			gap = false
		case c == '\'' || c == '`': // "it's" is one word
		default:
			gap = true
		}
	}
	slug := b.String()
	if len(slug) <= maxDerivedSlug {
		return slug
	}
	cut := strings.LastIndexByte(slug[:maxDerivedSlug+1], '-')
	if cut < maxDerivedSlug/2 {
		cut = maxDerivedSlug // one endless word
	}
	return strings.TrimRight(slug[:cut], "-")
}
