package value

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// marks are the bytes that can mean something else than themselves.
var marks = func() (is [256]bool) {
	for _, c := range []byte("*`[]!\\~&<_:.") {
		is[c] = true
	}
	return is
}()

// inline takes the marks out of the text of a paragraph, a heading or a list item, in place. It is false where
// anything in it could be more than emphasis, code, links and images in their plainest form.
func (r *plainReader) inline(text []byte) ([]byte, bool) {
	if bytes.IndexByte(text, '@') >= 0 {
		return nil, false // the addresses of mail are made links, whatever else their characters mean
	}
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
			var ok bool
			if inner, ok = withoutCode(inner); !ok {
				return nil, false
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
	if n == 0 || bytes.ContainsAny(src, "%~") || bytes.IndexByte(alt, '`') >= 0 {
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
	case '\\', ']', '~':
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

// plainEmphasis reads *emphasis* or **emphasis** that begins after a space and ends before one or before punctuation,
// and returns what stands in it and how long it is; 0 where it is anything else.
func plainEmphasis(text []byte, i int) ([]byte, int) {
	run := 1
	if i+1 < len(text) && text[i+1] == '*' {
		run = 2
	}
	start := i + run
	end := start
	for end < len(text) && text[end] != '\n' && (!marks[text[end]] || text[end] != '*' && text[end] != '`' && text[end] != '[' && isPlain(text, end)) {
		end++
	}
	after := end + run
	if after > len(text) || text[after-run] != '*' || text[after-1] != '*' || i > 0 && bytes.IndexByte([]byte(" \n("), text[i-1]) < 0 {
		return nil, 0
	}
	inner, next := text[start:end], byte(' ')
	if after < len(text) {
		next = text[after]
	}
	first, _ := utf8.DecodeRune(inner)
	last, _ := utf8.DecodeLastRune(inner)
	switch {
	case !isAlphanumericRune(first):
		return nil, 0
	case isAlphanumericRune(last) && bytes.IndexByte([]byte(" \n.,;:!?)"), next) >= 0:
		return inner, after - i
	case strings.ContainsRune(".,:;!?)%", last) && (next == ' ' || next == '\n'):
		return inner, after - i
	}
	return nil, 0
}

func isAlphanumericRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

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
		if c == '*' || c == '[' || c == '\n' || c == '<' || c == '_' || !isPlain(label, j) {
			return nil, nil, 0
		}
	}
	if len(rest) < 3 || rest[0] != '(' {
		return nil, nil, 0
	}
	end := 1
	for end < len(rest) && (isAlphanumeric(rest[end]) || bytes.IndexByte([]byte("/:.-_#?=,%+~"), rest[end]) >= 0) {
		end++
	}
	if end == 1 || end == len(rest) || rest[end] != ')' {
		return nil, nil, 0
	}
	return label, rest[1:end], n + 2 + end + 1
}

// withoutCode takes the marks of code out of the label of a link.
func withoutCode(label []byte) ([]byte, bool) {
	if bytes.IndexByte(label, '`') < 0 {
		return label, true
	}
	out := make([]byte, 0, len(label))
	for i := 0; i < len(label); {
		if label[i] != '`' {
			out = append(out, label[i])
			i++
			continue
		}
		code, n := plainCode(label, i)
		if n == 0 {
			return nil, false
		}
		out = append(out, code...)
		i += n
	}
	return out, true
}
