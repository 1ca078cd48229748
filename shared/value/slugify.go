package value

import (
	"strings"

	"github.com/gosimple/unidecode"
)

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
