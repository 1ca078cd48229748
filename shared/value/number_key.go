package value

import (
	"encoding/binary"

	"svc/shared/schema"
)

// MaxNumberKey is the greatest length of a number's key, in bytes: a sign, two of exponent, two digits in each of the
// others, and the end of a negative one.
const MaxNumberKey = 1 + 2 + schema.MaxNumberDigits/2 + 1

// The first byte of a number's key.
const (
	keyNegative = 1
	keyZero     = 2
	keyPositive = 3
)

// appendNumberKey appends the key of the number 0.digits × 10^point. A positive one has its point, raised so that it is
// never negative, and its digits in pairs, each plus one, without zeros at the end. A negative one has the complement of
// that, and a byte that is greater than all others at its end, so that fewer digits are more.
func appendNumberKey(dst []byte, negative bool, digits []byte, point int) []byte {
	for len(digits) > 0 && digits[0] == '0' {
		digits = digits[1:]
		point--
	}
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	if len(digits) == 0 {
		return append(dst, keyZero)
	}
	sign, flip := byte(keyPositive), byte(0)
	if negative {
		sign, flip = keyNegative, 0xff
	}
	dst = append(dst, sign)
	exponent := uint16(point + 1<<15)
	if negative {
		exponent = ^exponent
	}
	dst = binary.BigEndian.AppendUint16(dst, exponent)
	for i := 0; i < len(digits); i += 2 {
		pair := 10 * (digits[i] - '0')
		if i+1 < len(digits) {
			pair += digits[i+1] - '0'
		}
		dst = append(dst, (pair+1)^flip)
	}
	if negative {
		dst = append(dst, 0xff)
	}
	return dst
}

// appendNumberTextKey appends the key of a number in JSON; false where schema.ParseNumber would refuse it.
func appendNumberTextKey(dst, text []byte) ([]byte, bool) {
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		text = text[1:]
	}
	var space [schema.MaxNumberDigits]byte
	digits := space[:0]
	whole := leadingDigits(text)
	if whole == 0 || whole > 1 && text[0] == '0' || whole > len(space) {
		return dst, false
	}
	digits = append(digits, text[:whole]...)
	text = text[whole:]
	if len(text) > 0 && text[0] == '.' {
		fraction := leadingDigits(text[1:])
		if fraction == 0 || whole+fraction > len(space) {
			return dst, false
		}
		digits = append(digits, text[1:1+fraction]...)
		text = text[1+fraction:]
	}
	exponent, ok := numberExponent(text)
	if !ok {
		return dst, false
	}
	return appendNumberKey(dst, negative, digits, whole+exponent), true
}

// numberExponent reads what follows the digits of a number: nothing, or an exponent in bounds.
func numberExponent(text []byte) (exponent int, ok bool) {
	if len(text) == 0 {
		return 0, true
	}
	if text[0] != 'e' && text[0] != 'E' {
		return 0, false
	}
	text = text[1:]
	negative := false
	if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		negative, text = text[0] == '-', text[1:]
	}
	if len(text) == 0 || leadingDigits(text) != len(text) {
		return 0, false
	}
	for _, c := range text {
		if exponent = 10*exponent + int(c-'0'); exponent > schema.MaxNumberExponent {
			return 0, false
		}
	}
	if negative {
		exponent = -exponent
	}
	return exponent, true
}

func leadingDigits(b []byte) int {
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	return n
}
