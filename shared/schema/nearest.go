package schema

// Nearest returns the candidate that word was probably meant to be, or "": at most two letters off, and fewer
// than half of them.
func Nearest(word string, candidates []string) string {
	const longest = 40
	best, off := "", 3
	if len(word) > longest {
		return ""
	}
	for _, c := range candidates {
		if d := distance(word, c); d < off && 2*d < len(c) {
			best, off = c, d
		}
	}
	return best
}

// distance is the Levenshtein distance in bytes, where swapping two neighbours counts as one edit.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
