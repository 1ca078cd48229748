package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// The values of a conflict are one line each, which shows where they differ.
func TestConflictingValuesAreCutToOneLine(t *testing.T) {
	t.Parallel()
	same := strings.Repeat("The same words again. ", 20)
	quoted := func(text string) jsontext.Value { return jsontext.Value(quoted(text)) }
	for name, test := range map[string]struct {
		values []jsontext.Value
		want   []string
	}{
		"short":          {[]jsontext.Value{quoted("a"), quoted("b\nc"), nil}, []string{"a", "b c", "–"}},
		"cleared":        {[]jsontext.Value{quoted("a"), jsontext.Value("null"), jsontext.Value(`[1]`)}, []string{"a", "–", "[1]"}},
		"long":           {[]jsontext.Value{quoted("a" + same), quoted("b" + same), nil}, []string{"aThe same words again. The same words a…", "bThe same words again. The same words a…", "–"}},
		"far in":         {[]jsontext.Value{quoted(same + "Red barn."), quoted(same + "Green barn."), quoted(same)}, []string{"… The same words again. Red barn.", "… The same words again. Green barn.", "… The same words again. "}},
		"only one":       {[]jsontext.Value{nil, quoted(same), nil}, []string{"–", "The same words again. The same words ag…", "–"}},
		"wide letters":   {[]jsontext.Value{quoted(strings.Repeat("春", 30)), nil, nil}, []string{strings.Repeat("春", 19) + "…", "–", "–"}},
		"without spaces": {[]jsontext.Value{quoted(strings.Repeat("x", 60) + "a"), quoted(strings.Repeat("x", 60) + "b"), nil}, []string{"… " + strings.Repeat("x", 20) + "a", "… " + strings.Repeat("x", 20) + "b", "–"}},
	} {
		if got := excerpts(40, test.values...); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
