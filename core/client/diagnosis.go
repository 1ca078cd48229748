package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"svc/core/wire"
)

// AccessQuery is what Access asks about: one of a scope, a route (its operationId, or method and path) and a tool, or none, and a
// collection, if any.
type AccessQuery struct {
	Capability, Route, Tool, Collection string
}

// Access tells what the credential may do in a project, and which check denies it.
func (c *Client) Access(ctx context.Context, project string, q AccessQuery) (wire.Access, error) {
	path := projectPath(project, "access") + queryOf("capability", q.Capability, "route", q.Route, "tool", q.Tool, "collection", q.Collection)
	return one[wire.Access](ctx, c, http.MethodGet, path, nil)
}

// CheckCORS tells whether pages of an origin may read a project, and a collection of it unless that is empty.
func (c *Client) CheckCORS(ctx context.Context, project, origin, collection string) (wire.CORSCheck, error) {
	path := projectPath(project, "cors-check") + queryOf("origin", origin, "collection", collection)
	return one[wire.CORSCheck](ctx, c, http.MethodGet, path, nil)
}

// Usage tells what an organization used this month, and by day. The days, such as 2026-03-01, may be empty: the last thirty days then.
func (c *Client) Usage(ctx context.Context, organization, from, to string) (wire.Usage, error) {
	return one[wire.Usage](ctx, c, http.MethodGet, "/v1/organizations/"+url.PathEscape(organization)+"/usage"+queryOf("from", from, "to", to), nil)
}

// Clock returns the time of the server, to the second. It needs no credential.
func (c *Client) Clock(ctx context.Context) (time.Time, error) {
	header, err := c.exchange(ctx, http.MethodGet, "/v1/meta", nil, nil, &wire.Envelope[wire.Meta]{})
	if err != nil {
		return time.Time{}, err
	}
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return at, unexpected("the answer has no header Date that can be read")
	}
	return at, nil
}

// queryOf is a query of those of the parameters that have a value.
func queryOf(pairs ...string) string {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}
