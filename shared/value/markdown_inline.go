package value

import "bytes"

// marks are the bytes that can mean something else than themselves.
var marks = func() (is [256]bool) {
	for _, c := range []byte("*`[]!\\~@&<_:.") {
		is[c] = true
	}
	return is
}()

// inline takes the marks out of the text of a paragraph, a heading or a list item, in place. It is false where
// anything in it could be more than emphasis, code, links and images in their plainest form.
func (r *plainReader) inline(text []byte) ([]byte, bool) {
	out := text[:0]
	for i := 0; i < len(text); {
		start := i
		for i < len(text) && !marks[text[i]] {
			i++
		}
		out = append(out, text[start:i]...)
		if i == len(text) {
			break
		}
		var inner []byte
		n := 0
		switch c := text[i]; c {
		case '*':
			inner, n = plainEmphasis(text, i)
		case '`':
			inner, n = plainCode(text, i)
		case '[':
			if inner, _, n = plainLink(text[i:]); len(inner) == 1 {
				return nil, false // [x] may be a box to tick
			}
		default:
			if c == '!' && i+1 < len(text) && text[i+1] == '[' {
				n = r.picture(text[i+1:])
				break
			}
			if !isPlain(text, i) {
				return nil, false
			}
			out = append(out, c)
			i++
			continue
		}
		if n == 0 {
			return nil, false
		}
		out = append(out, inner...) // never longer than what was read
		i += n
	}
	return out, true
}

// picture reads the image ![alt](source), whose link is given, and returns how long it is; 0 where it is anything else.
func (r *plainReader) picture(link []byte) int {
	alt, src, n := plainLink(link)
	if n == 0 || bytes.IndexByte(src, '%') >= 0 {
		return 0
	}
	r.pictures = append(r.pictures, picture{string(src), string(alt)})
	return n + 1
}

// isPlain reports whether the byte at i stands for itself.
func isPlain(text []byte, i int) bool {
	next := byte(' ')
	if i+1 < len(text) {
		next = text[i+1]
	}
	switch c := text[i]; c {
	case '\\', ']', '~', '@':
		return false
	case '!':
		return next != '['
	case '&', '<':
		return next == ' '
	case '_':
		return i > 0 && isAlphanumeric(text[i-1]) && isAlphanumeric(next)
	case ':':
		return next != '/'
	case '.':
		return !bytes.HasSuffix(text[:i], []byte("www")) && !bytes.HasSuffix(text[:i], []byte("WWW"))
	}
	return true
}

// plainEmphasis reads *emphasis* or **emphasis** between spaces or before punctuation, and returns what stands in it
// and how long it is; 0 where it is anything else.
func plainEmphasis(text []byte, i int) ([]byte, int) {
	run := 1
	if i+1 < len(text) && text[i+1] == '*' {
		run = 2
	}
	if i > 0 && text[i-1] != ' ' && text[i-1] != '\n' {
		return nil, 0
	}
	start := i + run
	end := start
	for end < len(text) && (isAlphanumeric(text[end]) || bytes.IndexByte([]byte(" ,'-"), text[end]) >= 0) {
		end++
	}
	after := end + run
	if end == start || after > len(text) || !isAlphanumeric(text[start]) || !isAlphanumeric(text[end-1]) {
		return nil, 0
	}
	for _, c := range text[end:after] {
		if c != '*' {
			return nil, 0
		}
	}
	if after < len(text) && bytes.IndexByte([]byte(" \n.,;:!?)"), text[after]) < 0 {
		return nil, 0
	}
	return text[start:end], after - i
}

// plainCode reads `code`.
func plainCode(text []byte, i int) ([]byte, int) {
	n := bytes.IndexByte(text[i+1:], '`')
	if n < 1 {
		return nil, 0
	}
	code, after := text[i+1:i+1+n], i+n+2
	if code[0] == ' ' || code[n-1] == ' ' || bytes.IndexByte(code, '\n') >= 0 || after < len(text) && text[after] == '`' {
		return nil, 0
	}
	return code, after - i
}

// plainLink reads [label](target) at the start of a text.
func plainLink(text []byte) (label, target []byte, length int) {
	n := bytes.IndexByte(text, ']') - 1
	if n < 1 {
		return nil, nil, 0
	}
	label, rest := text[1:1+n], text[n+2:]
	for j, c := range label {
		if c == '*' || c == '`' || c == '[' || c == '\n' || c == '<' || c == '_' || !isPlain(label, j) {
			return nil, nil, 0
		}
	}
	if len(rest) < 3 || rest[0] != '(' {
		return nil, nil, 0
	}
	end := 1
	for end < len(rest) && (isAlphanumeric(rest[end]) || bytes.IndexByte([]byte("/:.-_#?=,%+"), rest[end]) >= 0) {
		end++
	}
	if end == 1 || end == len(rest) || rest[end] != ')' {
		return nil, nil, 0
	}
	return label, rest[1:end], n + 2 + end + 1
}
