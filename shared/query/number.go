package query

import (
	"math"
	"strconv"
)

// integer reads an optional minus and digits; a number too large for 64 bits saturates. ok is false for anything
// else, such as 1.5 or 1e3.
func integer(s string) (n int64, ok bool) {
	digits := s
	if digits != "" && digits[0] == '-' {
		digits = digits[1:]
	}
	if digits == "" {
		return 0, false
	}
	for i := 0; i < len(digits); i++ {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err == nil {
		return n, true
	}
	if s[0] == '-' {
		return math.MinInt64, true
	}
	return math.MaxInt64, true
}

// limit clamps; what is no integer is refused.
func (p *parser) limit(value string) int {
	n, ok := integer(value)
	if !ok {
		p.refuse(paramLimit, "must be an integer from 1 to %d, not %q", MaxLimit, shorten(value))
		return DefaultLimit
	}
	return int(min(max(n, 1), MaxLimit))
}
