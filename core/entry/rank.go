package entry

import "strings"

// Ranks are positions in an editorial order: non-empty strings over 62 digits that compare by byte. Between any two
// there is room for another, because no rank ends in the lowest digit: a rank is a fraction, written without its "0.".

const rankDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// maxRank is the length at which a collection's ranks are spread again. Only tens of moves to one place reach it.
const maxRank = 48

// between returns a short rank after a and before b; an empty a is the front, an empty b the end. a must be less
// than b.
func between(a, b string) string {
	var out strings.Builder
	for i := 0; ; i++ {
		low, high := 0, len(rankDigits)
		if i < len(a) {
			low = strings.IndexByte(rankDigits, a[i])
		}
		if b != "" {
			if i >= len(b) {
				panic("entry: between(" + a + ", " + b + "): nothing lies there")
			}
			high = strings.IndexByte(rankDigits, b[i])
		}
		if low == high {
			out.WriteByte(rankDigits[low])
			continue
		}
		if mid := (low + high) / 2; mid > low {
			out.WriteByte(rankDigits[mid])
			return out.String()
		}
		// The digits are neighbours: keep the lower one, and from here on only a bounds the rest.
		out.WriteByte(rankDigits[low])
		b = ""
	}
}

// spread returns n ranks in rising order, as short as they can be with room between them.
func spread(n int) []string {
	width, space := 1, len(rankDigits)
	for space <= 2*(n+1) {
		width++
		space *= len(rankDigits)
	}
	step := space / (n + 1)
	out := make([]string, n)
	for i := range out {
		out[i] = rankOf((i+1)*step, width)
	}
	return out
}

// rankOf writes a number in digits of a width, without the lowest digit at the end.
func rankOf(number, width int) string {
	digits := make([]byte, width)
	for i := width - 1; i >= 0; i-- {
		digits[i] = rankDigits[number%len(rankDigits)]
		number /= len(rankDigits)
	}
	return strings.TrimRight(string(digits), rankDigits[:1])
}
