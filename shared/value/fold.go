package value

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// asciiSpace and asciiWord are unicode.IsSpace and isWordRune for the characters that most texts consist of.
var asciiSpace, asciiWord = func() (space, word [utf8.RuneSelf]bool) {
	for r := range rune(utf8.RuneSelf) {
		space[r], word[r] = unicode.IsSpace(r), isWordRune(r)
	}
	return space, word
}()

// fold brings text to one case, one form of every character (NFKC), and single spaces. Between spaces of ASCII, which
// no character joins with, each part is folded on its own: those in ASCII directly, the others by their tables.
func fold(text string) string {
	folded := make([]byte, 0, len(text))
	caser := cases.Fold()
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c < utf8.RuneSelf && asciiSpace[c]:
			i++
			continue
		case len(folded) > 0:
			folded = append(folded, ' ')
		}
		start := len(folded)
		end := i
		for ; end < len(text) && text[end] < utf8.RuneSelf && !asciiSpace[text[end]]; end++ {
			c := text[end]
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			folded = append(folded, c)
		}
		if end < len(text) && text[end] >= utf8.RuneSelf {
			end = foreignEnd(text, end)
			folded = folded[:start]
			if part := foldForeign(caser, text[i:end]); part != "" {
				folded = append(folded, part...)
			} else if start > 0 {
				folded = folded[:start-1] // the space before it
			}
		}
		i = end
	}
	return string(folded)
}

// foldForeign folds a part with characters outside of ASCII.
func foldForeign(caser cases.Caser, part string) string {
	return strings.Join(strings.Fields(caser.String(norm.NFKC.String(part))), " ")
}

// foreignEnd returns where the part around i ends: before the space that comes before a word in ASCII alone, so that
// a text in another script is one part.
func foreignEnd(text string, i int) int {
	foreign, end := true, len(text)
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c >= utf8.RuneSelf:
			foreign = true
		case asciiSpace[c]:
			if !foreign {
				return end
			}
			foreign, end = false, i
		}
	}
	if foreign {
		return len(text)
	}
	return end
}
