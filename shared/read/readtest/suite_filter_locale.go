package readtest

import (
	"fmt"
	"testing"
)

// localizedFilters goes through every operator on every localized type: a value is in the locale that is asked for, in the
// default locale alone, or plain, from before the field was localized.
func localizedFilters(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	f.set(func(s *Settings) { s.Locales, s.DefaultLocale = []string{"en", "de", "fr"}, "en" })
	f.put(scalarSchema(2, `,"localized":true`, scalarCases...))
	f.publish(f.scalars(scalarCases, func(c *scalarCase, n uint64, raw string) string {
		other := c.high
		if c.key == "flag" {
			other = "true"
		}
		switch n {
		case 1: // of its own, beside others
			return fmt.Sprintf(`{"de":%s,"en":%s,"fr":%s}`, raw, other, other)
		case 2: // by fallback
			return fmt.Sprintf(`{"en":%s,"fr":%s}`, raw, other)
		case 3: // by fallback from null
			return fmt.Sprintf(`{"de":null,"en":%s}`, raw)
		case 4: // plain
			return raw
		case 5: // in another locale only, which is no fallback
			return fmt.Sprintf(`{"fr":%s}`, other)
		case 7: // its own does not fit, which hides the default
			return fmt.Sprintf(`{"de":%s,"en":%s}`, raw, other)
		}
		return raw
	})...)
	for _, c := range scalarCases {
		f.operators(&c, "locale=de&")
	}
	f.booleans("locale=de&")
	// Without a locale, in the default one.
	f.wantList("filter[number][exists]=true", 7, 4, 3, 2, 1)
	f.wantList("filter[number]=9007199254740993", 7, 4, 1)
	f.wantList("order=number", 2, 3, 1, 4, 7, 5, 6)
	f.wantList("locale=en&order=-number", 1, 4, 7, 2, 3, 5, 6)
	f.wantList("locale=fr&order=number", 3, 1, 2, 4, 5, 7, 6)
	f.wantList("locale=fr&filter[number][exists]=true", 7, 5, 4, 3, 2, 1)

	// Another default locale changes what the fallback is, from its first release on.
	f.set(func(s *Settings) { s.DefaultLocale = "fr" })
	f.wantList("locale=de&filter[number][exists]=true", 5, 4, 2, 1)
	f.wantList("locale=de&order=number", 1, 2, 4, 5, 3, 6, 7)
	f.wantList("filter[number]=0.1")
	f.publish(f.post(8, ""))
	f.wantList("at=1&locale=de&filter[number]=0.1", 3, 2)
	f.wantList("at=2&locale=de&filter[number]=0.1")
	f.wantList("at=1&order=number", 2, 3, 1, 4, 7, 5, 6)

	// A locale that goes takes its values along; without any, only plain values are there.
	f.set(func(s *Settings) { s.Locales, s.DefaultLocale = []string{"en"}, "en" })
	f.wantRefused("locale=de&filter[number]=1", "locale")
	f.wantList("filter[number]=0.1", 3, 2)
	f.set(func(s *Settings) { s.Locales, s.DefaultLocale = nil, "" })
	f.wantList("filter[number][exists]=true", 4)
	f.wantList("order=-number", 4, 1, 2, 3, 5, 6, 7, 8)
}
