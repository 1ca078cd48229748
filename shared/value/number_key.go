package value

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"unsafe"

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

// appendNumberKey appends the key of a number in JSON; false where schema.ParseNumber would refuse it. As 0.digits × 10^point,
// a positive one has its point, raised so that it is never negative, and its digits in pairs, each plus one, without zeros at
// the end. A negative one has the complement of that, and a byte that is greater than all others at its end, so that fewer
// digits are more.
func appendNumberKey(dst, text []byte) ([]byte, bool) {
	s := unsafe.String(unsafe.SliceData(text), len(text))
	if !schema.IsNumber(s) || schema.CheckNumber(text) != nil {
		return dst, false
	}
	point := 0
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		point, _ = strconv.Atoi(s[i+1:]) // checked above
		text = text[:i]
	}
	text, negative := bytes.CutPrefix(text, []byte("-"))
	whole, fraction, _ := bytes.Cut(text, []byte("."))
	var space [schema.MaxNumberDigits]byte
	digits := append(append(space[:0], whole...), fraction...)
	point += len(whole)
	for len(digits) > 0 && digits[0] == '0' {
		digits = digits[1:]
		point--
	}
	digits = bytes.TrimRight(digits, "0")
	if len(digits) == 0 {
		return append(dst, keyZero), true
	}
	sign, flip := byte(keyPositive), byte(0)
	exponent := uint16(point + 1<<15)
	if negative {
		sign, flip, exponent = keyNegative, 0xff, ^exponent
	}
	dst = binary.BigEndian.AppendUint16(append(dst, sign), exponent)
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
	return dst, true
}
