package project

import (
	"fmt"
	"slices"

	"svc/shared/cors"
	"svc/shared/fault"
)

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
