package query

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"svc/shared/fault"
)

// MaxValues bounds the values of one filter with the operator in.
const MaxValues = 100

// splitValues splits the values of the operator in at commas; \, is a comma and \\ a backslash inside of a value.
func splitValues(text string) ([]string, error) {
	values := []string{""}
	for rest := text; rest != ""; {
		n := strings.IndexAny(rest, `,\`)
		if n < 0 {
			n = len(rest)
		}
		last := &values[len(values)-1]
		*last += rest[:n]
		switch rest = rest[n:]; {
		case strings.HasPrefix(rest, ","):
			values, rest = append(values, ""), rest[1:]
		case strings.HasPrefix(rest, `\,`), strings.HasPrefix(rest, `\\`):
			*last += rest[1:2]
			rest = rest[2:]
		case rest != "":
			return nil, errors.New(`has a backslash that neither a comma nor a backslash follows; \, is a comma inside of a value and \\ a backslash`)
		}
	}
	if n := len(values); n > MaxValues {
		return nil, fmt.Errorf("must have at most %d values, not %d", MaxValues, n)
	}
	return values, nil
}

// integer reads an optional minus and digits; a number too large for 64 bits saturates. ok is false for anything
// else, such as 1.5 or 1e3.
func integer(s string) (n int64, ok bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, (err == nil || errors.Is(err, strconv.ErrRange)) && s[0] != '+'
}

// limit clamps; what is no integer is refused.
func (p *parser) limit(value string) int {
	n, ok := integer(value)
	if !ok {
		p.refuse(paramLimit, "must be an integer from 1 to %d, not %q", MaxLimit, Shorten(value))
		return DefaultLimit
	}
	return int(min(max(n, 1), MaxLimit))
}

// unescape decodes a name or a value; wrong says what is wrong with it.
func unescape(s string) (decoded, wrong string) {
	if isPlain(s) {
		return s, ""
	}
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

// isPlain reports whether s is ASCII in which nothing is escaped, as nearly every name and value is.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c == 0 || c >= utf8.RuneSelf || c == '%' || c == '+' {
			return false
		}
	}
	return true
}

// Shorten cuts what a caller sent for a message.
func Shorten(s string) string {
	const most = 64
	if len(s) <= most {
		return strings.ToValidUTF8(s, "\ufffd")
	}
	return strings.ToValidUTF8(s[:most], "\ufffd") + "…"
}

// maxFindings bounds what one answer lists.
const maxFindings = 20

// findings are what is wrong with the parameters of a request.
type findings []fault.Item

func (f *findings) add(name, format string, args ...any) {
	if len(*f) < maxFindings {
		*f = append(*f, fault.Invalid(name, format, args...).Items...)
	}
}

func (f findings) err() error {
	if len(f) == 0 {
		return nil
	}
	details := make([]string, len(f))
	for i, item := range f {
		details[i] = item.Path + ": " + item.Message
	}
	return &fault.Error{Code: fault.ValidationFailed, Detail: strings.Join(details, "; "), Items: f}
}
