package query

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"svc/shared/fault"
	"svc/shared/value"
)

// FuzzValues writes the values of the operator in again and reads the same.
func FuzzValues(f *testing.F) {
	for _, text := range []string{"a,b", `a\,b,\\`, `\`, `,,`, `a\b`, strings.Repeat(",", 200)} {
		f.Add(text)
	}
	escape := strings.NewReplacer(`\`, `\\`, ",", `\,`)
	f.Fuzz(func(t *testing.T, text string) {
		values, err := splitValues(text)
		if err != nil {
			return
		}
		if len(values) == 0 || len(values) > MaxValues {
			t.Fatalf("%q has %d values", text, len(values))
		}
		var parts []string
		for _, v := range values {
			parts = append(parts, escape.Replace(v))
		}
		if joined := strings.Join(parts, ","); joined != text {
			t.Fatalf("%q is split into %q, which is written %q", text, values, joined)
		}
	})
}

// FuzzFilter gives any field, operator, value and stored text to all of parse, bind and match: nothing but
// VALIDATION_FAILED may come of it, and equality, order and their negations agree.
func FuzzFilter(f *testing.F) {
	f.Add("rating", "gte", "1.5", `15e-1`)
	f.Add("title", "in", `a\,b,c`, `"c"`)
	f.Add("title", "", "x", `{"en":"x"}`)
	f.Add("at", "lt", "2026-02-28T10:00:00Z", `"2026-02-28T10:00:00+01:00"`)
	f.Add("tags", "exists", "true", `[]`)
	f.Fuzz(func(t *testing.T, field, op, text, stored string) {
		c := testSchema(t)
		ask := func(op, text string) (matches, ok bool) {
			raw := "filter[" + url.QueryEscape(field) + "]"
			if op != "" {
				raw += "[" + url.QueryEscape(op) + "]"
			}
			conditions, _, err := bind(c, "de", raw+"="+url.QueryEscape(text))
			if err != nil {
				if f := fault.As(err); f.Code != fault.ValidationFailed || len(f.Items) == 0 {
					t.Fatalf("%s=%s: %v", raw, text, err)
				}
				return false, false
			}
			compact, err := value.ParseObject([]byte(`{"`+field+`":`+stored+`}`), "fields")
			if err != nil {
				return false, false
			}
			matches, err = conditions.Match(compact)
			if err != nil {
				t.Fatalf("%s on %s: %v", raw, compact, err)
			}
			return matches, true
		}
		ask(op, text)
		equal, ok := ask("", text)
		if !ok {
			return
		}
		not, _ := ask("ne", text)
		less, _ := ask("lt", text)
		most, _ := ask("lte", text)
		more, _ := ask("gt", text)
		least, _ := ask("gte", text)
		exists, _ := ask("exists", "true")
		escaped := strings.NewReplacer(`\`, `\\`, ",", `\,`).Replace(text)
		in, _ := ask("in", escaped)
		holding := slices.DeleteFunc([]bool{equal, less, more}, func(b bool) bool { return !b })
		if not == equal || in != equal || most != (less || equal) || least != (more || equal) || exists != (len(holding) == 1) || len(holding) > 1 {
			t.Fatalf("filter[%s] %q on %s: eq %v ne %v in %v lt %v lte %v gt %v gte %v exists %v", field, text, stored, equal, not, in, less, most, more, least, exists)
		}
	})
}
