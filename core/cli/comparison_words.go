package cli

import (
	"strings"
	"unicode"
	"unicode/utf8"

	unicodewords "github.com/clipperhouse/uax29/v2/words"

	"svc/core/wire"
)

// maxBetween is how many words two changes may have between them and still be shown as one.
const maxBetween = 2

// joinChanges makes one change of those that have only a few words between them, fewer characters than either of them: else a sentence
// that is rewritten would be shown in pieces around each "the". The segments still reproduce both texts.
func joinChanges(segments []wire.Segment) (all []wire.Segment) {
	for n := 0; n < len(segments); {
		if segments[n].Op == "equal" {
			all = append(all, segments[n])
			n++
			continue
		}
		c, end := replacementAt(segments, n)
		for end < len(segments) {
			between := segments[end].Value
			next, after := replacementAt(segments, end+1)
			if length := utf8.RuneCountInString(between); length >= c.length() || length >= next.length() || !fewWords(between) {
				break
			}
			c.add(between, between)
			c.add(string(next.deleted), string(next.inserted))
			end = after
		}
		all, n = append(all, c.segments()...), end
	}
	return all
}

// replacement is what is deleted and inserted in one place, and how many characters each of them has.
type replacement struct {
	deleted, inserted             []byte
	deletedLength, insertedLength int
}

// replacementAt is the one that begins at a segment, and where the next equal segment is; there is nothing in it where this one is equal.
func replacementAt(segments []wire.Segment, at int) (r replacement, end int) {
	for end = at; end < len(segments) && segments[end].Op != "equal"; end++ {
		if segments[end].Op == "delete" {
			r.add(segments[end].Value, "")
		} else {
			r.add("", segments[end].Value)
		}
	}
	return r, end
}

func (r *replacement) add(deleted, inserted string) {
	r.deleted, r.inserted = append(r.deleted, deleted...), append(r.inserted, inserted...)
	r.deletedLength += utf8.RuneCountInString(deleted)
	r.insertedLength += utf8.RuneCountInString(inserted)
}

// length is that of the longer side.
func (r *replacement) length() int { return max(r.deletedLength, r.insertedLength) }

func (r *replacement) segments() (all []wire.Segment) {
	if len(r.deleted) > 0 {
		all = append(all, wire.Segment{Op: "delete", Value: string(r.deleted)})
	}
	if len(r.inserted) > 0 {
		all = append(all, wire.Segment{Op: "insert", Value: string(r.inserted)})
	}
	return all
}

// fewWords tells whether a text is part of one line and has at most maxBetween words.
func fewWords(text string) bool {
	words := 0
	for tokens := unicodewords.FromString(text); tokens.Next(); {
		if strings.ContainsFunc(tokens.Value(), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			words++
		}
	}
	return words <= maxBetween && !strings.Contains(text, "\n")
}
