package origin

import (
	"net/url"
	"path"
	"strings"

	"svc/shared/fault"
)

// address is where core is asked for a path and query, both byte for byte as the caller sent them: decoding and
// cleaning is core's business. What core has for edges alone is not passed on.
func address(core *url.URL, target string) (*url.URL, error) {
	raw, _, _ := strings.Cut(target, "?")
	decoded, err := url.PathUnescape(raw)
	if err != nil || raw == "" || raw[0] != '/' {
		return nil, fault.New(fault.ValidationFailed, "the path of the request is not well-formed")
	}
	if clean := path.Clean(decoded); clean == "/internal" || strings.HasPrefix(clean, "/internal/") {
		return nil, fault.New(fault.NotFound, "there is no such path")
	}
	u := &url.URL{Scheme: core.Scheme, Host: core.Host, Opaque: target}
	if strings.HasPrefix(target, "//") {
		u.Opaque = "//" + core.Host + target // alone it would read as another host
	}
	return u, nil
}
