package read

import "strings"

// quote writes a strong ETag: the hash of the identity body, and the coding of this representation behind it.
func quote(tag string, c coding) string {
	if c == identity {
		return `"` + tag + `"`
	}
	return `"` + tag + "-" + string(c) + `"`
}

// match holds an If-None-Match header against a tag, and tells of which coding the caller has it. The comparison is
// weak, as RFC 9110 has it for this header: W/ says nothing, and any coding of the same content will do.
func match(header, tag string) (coding, bool) {
	for header != "" {
		header = strings.TrimLeft(header, " \t,")
		if header == "" {
			break
		}
		if header[0] == '*' {
			return identity, true
		}
		header = strings.TrimPrefix(header, "W/")
		if header == "" || header[0] != '"' {
			return identity, false // no list of tags
		}
		end := strings.IndexByte(header[1:], '"')
		if end < 0 {
			return identity, false
		}
		if c, ok := codingOf(header[1:1+end], tag); ok {
			return c, true
		}
		header = header[end+2:]
	}
	return identity, false
}

func codingOf(candidate, tag string) (coding, bool) {
	suffix, ok := strings.CutPrefix(candidate, tag)
	if !ok {
		return identity, false
	}
	if suffix == "" {
		return identity, true
	}
	for _, c := range codings {
		if suffix[0] == '-' && suffix[1:] == string(c) {
			return c, true
		}
	}
	return identity, false
}
