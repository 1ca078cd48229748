package query

import (
	"errors"
	"fmt"
	"strings"
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
