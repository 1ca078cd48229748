package content

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

func appendSuffix(dst []byte, b [16]byte) []byte {
	// 128 bits are 26 groups of 5, the first of which holds only 3.
	var acc uint64
	bits := 2 // the two leading zero bits that fill the first group
	for _, c := range b {
		acc = acc<<8 | uint64(c)
		bits += 8
		for bits >= 5 {
			bits -= 5
			dst = append(dst, alphabet[acc>>bits&31])
		}
	}
	return dst
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
