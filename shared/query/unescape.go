package query

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// unescape decodes a name or a value; wrong says what is wrong with it.
func unescape(s string) (decoded, wrong string) {
	decoded = s
	if strings.ContainsAny(s, "%+") {
		var err error
		if decoded, err = url.QueryUnescape(s); err != nil {
			return "", "has a percent sign that two hexadecimal digits do not follow"
		}
	}
	switch {
	case !utf8.ValidString(decoded):
		return "", "is not valid UTF-8"
	case strings.IndexByte(decoded, 0) >= 0:
		return "", "must not contain the character NUL"
	}
	return decoded, ""
}

// shorten cuts what a caller sent for a message.
func shorten(s string) string {
	const most = 64
	if len(s) <= most {
		return strings.ToValidUTF8(s, "\ufffd")
	}
	return strings.ToValidUTF8(s[:most], "\ufffd") + "…"
}
