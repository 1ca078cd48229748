package content

import "encoding/binary"

// The suffix of an id is its 128 bits in Crockford's base 32, most significant first, so the text sorts as the
// bytes do. The TypeID library keeps its codec internal; stores need it without allocations.

const (
	suffixLen = 26
	alphabet  = "0123456789abcdefghjkmnpqrstvwxyz"
)

var digits = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xff
	}
	for i := range alphabet {
		t[alphabet[i]] = byte(i)
	}
	return t
}()

// pairs are the characters of ten bits.
var pairs = func() (t [1 << 10][2]byte) {
	for i := range t {
		t[i] = [2]byte{alphabet[i>>5], alphabet[i&31]}
	}
	return t
}()

func appendSuffix(dst []byte, b [16]byte) []byte {
	var text [suffixLen]byte
	high, low := binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
	for i := suffixLen; i > 0; i -= 2 {
		pair := &pairs[low&(1<<10-1)]
		text[i-2], text[i-1] = pair[0], pair[1]
		high, low = high>>10, low>>10|high<<54
	}
	return append(dst, text[:]...)
}

func decodeSuffix(s string) (b [16]byte, ok bool) {
	if s[0] > '7' { // more than 128 bits
		return b, false
	}
	var acc uint64
	bits := -2
	n := 0
	for i := 0; i < suffixLen; i++ {
		d := digits[s[i]]
		if d == 0xff {
			return b, false
		}
		acc = acc<<5 | uint64(d)
		bits += 5
		if bits >= 8 {
			bits -= 8
			b[n] = byte(acc >> bits)
			n++
		}
	}
	return b, true
}
