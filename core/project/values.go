package project

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"svc/shared/cors"
	"svc/shared/fault"
)

const (
	maxLocales      = 100
	maxLocaleLength = 35
)

// localeShape is that of a BCP 47 tag: language, script, region, variants, extensions, private use.
var localeShape = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?` +
	`(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(-[A-WYZa-wyz0-9](-[A-Za-z0-9]{2,8})+)*(-x(-[A-Za-z0-9]{1,8})+)?$`)

// IsLocale reports whether s has the form of a locale code, such as "en" or "pt-BR".
func IsLocale(s string) bool { return len(s) <= maxLocaleLength && localeShape.MatchString(s) }

// checkLocales checks the locales and that the default is one of them; without locales there is no default.
func checkLocales(locales []string, def string) error {
	if len(locales) > maxLocales {
		return fault.Invalid("locales", "must have at most %d members; it has %d", maxLocales, len(locales))
	}
	seen := map[string]bool{}
	for i, l := range locales {
		path := fmt.Sprintf("locales[%d]", i)
		if !IsLocale(l) {
			return fault.Invalid(path, "must be a locale code, such as en or pt-BR")
		}
		if low := strings.ToLower(l); seen[low] {
			return fault.Invalid(path, "the locale %s is listed twice", l)
		} else {
			seen[low] = true
		}
	}
	switch {
	case len(locales) == 0 && def != "":
		return fault.Invalid("defaultLocale", "must be empty while the project has no locales")
	case len(locales) > 0 && !slices.Contains(locales, def):
		return fault.Invalid("defaultLocale", "must be one of the project's locales: %s", strings.Join(locales, ", "))
	}
	return nil
}

const maxOrigins = 100

// canonicalOrigins brings origins to the form in which browsers send them, each once, in their order.
func canonicalOrigins(in []string) ([]string, error) {
	if len(in) > maxOrigins {
		return nil, fault.Invalid("allowedOrigins", "must have at most %d members; it has %d", maxOrigins, len(in))
	}
	out := []string{}
	for i, text := range in {
		origin, ok := cors.Canonical(text)
		if !ok {
			return nil, fault.Invalid(fmt.Sprintf("allowedOrigins[%d]", i), "is no origin that a browser sends; it must be http:// or https://, "+
				"a host name or IP address, and a port where it is another than usual, such as https://www.example.com or http://localhost:3000")
		}
		if !slices.Contains(out, origin) {
			out = append(out, origin)
		}
	}
	return out, nil
}
