package schema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// The bounds of a number's text: they keep exact arithmetic cheap.
const (
	MaxNumberDigits   = 100
	MaxNumberExponent = 1000
)

// CheckNumber reports what keeps the text of a JSON number from being accepted: more than MaxNumberDigits digits,
// or an exponent beyond ±MaxNumberExponent.
func CheckNumber[Bytes ~[]byte | ~string](text Bytes) error {
	digits, i := 0, 0
	for ; i < len(text) && text[i] != 'e' && text[i] != 'E'; i++ {
		if text[i] >= '0' && text[i] <= '9' {
			digits++
		}
	}
	if digits > MaxNumberDigits {
		return fmt.Errorf("a number has at most %d digits; this one has %d", MaxNumberDigits, digits)
	}
	if i == len(text) {
		return nil
	}
	exponent := strings.TrimLeft(strings.TrimLeft(string(text[i+1:]), "+-"), "0")
	if n, err := strconv.Atoi("0" + exponent); err != nil || n > MaxNumberExponent {
		return fmt.Errorf("the exponent of a number is at most ±%d", MaxNumberExponent)
	}
	return nil
}

// ParseNumber reads the text of a JSON number exactly.
func ParseNumber(text string) (*apd.Decimal, error) {
	if !IsNumber(text) {
		return nil, fmt.Errorf("%s is not a number", Quote(text))
	}
	if err := CheckNumber(text); err != nil {
		return nil, err
	}
	d, _, err := apd.NewFromString(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not a number: %w", Quote(text), err)
	}
	return d, nil
}

// IsNumber reports whether text follows the grammar of JSON numbers; apd also takes "NaN", "+1" and ".5". Filters call it
// for every entry they look at, so it does not allocate.
func IsNumber(text string) bool {
	s := strings.TrimPrefix(text, "-")
	whole := countDigits(s)
	if whole == 0 || whole > 1 && s[0] == '0' {
		return false
	}
	s = s[whole:]
	if rest, found := strings.CutPrefix(s, "."); found {
		n := countDigits(rest)
		if n == 0 {
			return false
		}
		s = rest[n:]
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		n := countDigits(s)
		if n == 0 {
			return false
		}
		s = s[n:]
	}
	return s == ""
}

func countDigits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// isIntegral reports whether d has no fraction, however it is written: 2.0 and 1e3 have none.
func isIntegral(d *apd.Decimal) bool {
	if d.Exponent >= 0 || d.IsZero() {
		return true
	}
	var reduced apd.Decimal
	reduced.Reduce(d)
	return reduced.Exponent >= 0
}

// canonicalNumber writes d in the one way that schemas use: no exponent while that stays short, no trailing zeros but
// where the exponent would be too large to be read back.
func canonicalNumber(d *apd.Decimal) string {
	if d.IsZero() {
		return "0"
	}
	var reduced apd.Decimal
	reduced.Reduce(d)
	e := int(reduced.Exponent)
	if e >= -30 && e <= 20 {
		return reduced.Text('f')
	}
	sign, digits := "", reduced.Coeff.String()
	if reduced.Negative {
		sign = "-"
	}
	switch {
	case e > MaxNumberExponent:
		digits += strings.Repeat("0", e-MaxNumberExponent)
		e = MaxNumberExponent
	case e < -MaxNumberExponent:
		fraction := -MaxNumberExponent - e
		digits = strings.Repeat("0", max(0, fraction+1-len(digits))) + digits
		digits = digits[:len(digits)-fraction] + "." + digits[len(digits)-fraction:]
		e = -MaxNumberExponent
	}
	return sign + digits + "e" + strconv.Itoa(e)
}
