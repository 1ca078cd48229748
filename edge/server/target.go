package server

import (
	"bytes"

	"svc/shared/fault"
)

// target is what a request asks for, as it was sent. Its parts point into the request.
type target struct {
	raw         []byte // path and query
	path, query []byte
}

// parseTarget takes the forms of RFC 9112, section 3.2: a path with a query, the same after scheme and host, and the
// asterisk of OPTIONS, which fasthttp lets through for that method alone.
func parseTarget(uri []byte) (target, error) {
	t := target{raw: uri}
	if string(uri) == "*" {
		t.path = uri
		return t, nil
	}
	if bytes.IndexByte(uri, '#') >= 0 {
		return t, fault.New(fault.ValidationFailed, "the target of a request must not have a fragment")
	}
	if _, rest, ok := bytes.Cut(uri, []byte("://")); ok && uri[0] != '/' {
		t.raw = rest[len(rest):]
		if i := bytes.IndexAny(rest, "/?"); i >= 0 {
			t.raw = rest[i:]
		}
		if len(t.raw) == 0 || t.raw[0] == '?' {
			t.raw = append([]byte{'/'}, t.raw...)
		}
	}
	t.path, t.query, _ = bytes.Cut(t.raw, []byte{'?'})
	if len(t.path) == 0 || t.path[0] != '/' || !isEscaped(t.path) {
		return t, fault.New(fault.ValidationFailed, "the path of the request is not well-formed")
	}
	return t, nil
}

// isEscaped tells whether every percent sign begins an escape.
func isEscaped(path []byte) bool {
	for {
		i := bytes.IndexByte(path, '%')
		if i < 0 {
			return true
		}
		if len(path) < i+3 || !isHex(path[i+1]) || !isHex(path[i+2]) {
			return false
		}
		path = path[i+3:]
	}
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}
