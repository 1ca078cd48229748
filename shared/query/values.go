package query

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"svc/shared/fault"
)

// MaxValues bounds the values of one filter with the operator in.
const MaxValues = 100

// splitValues splits the values of the operator in at commas; \, is a comma and \\ a backslash inside of a value.
func splitValues(text string) ([]string, error) {
	var values []string
	if strings.IndexByte(text, '\\') < 0 {
		if n := strings.Count(text, ",") + 1; n > MaxValues {
			return nil, tooMany(n)
		}
		return strings.Split(text, ","), nil
	}
	value := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			i++
			if i == len(text) || text[i] != ',' && text[i] != '\\' {
				return nil, errors.New(`has a backslash that neither a comma nor a backslash follows; \, is a comma inside of a value and \\ a backslash`)
			}
			value = append(value, text[i])
		case ',':
			values, value = append(values, string(value)), value[:0]
		default:
			value = append(value, c)
		}
	}
	values = append(values, string(value))
	if len(values) > MaxValues {
		return nil, tooMany(len(values))
	}
	return values, nil
}

func tooMany(n int) error {
	return fmt.Errorf("must have at most %d values, not %d", MaxValues, n)
}

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
