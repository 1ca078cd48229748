package read

import (
	"context"

	"github.com/go-json-experiment/json"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/query"
	"svc/shared/schema"
)

// open is the first step. An edge forwards what it does not hold: the project may be new, or not placed on it.
func (x *exchange) open(ctx context.Context) (View, error) {
	if !content.IsID[content.ProjectID](x.req.Project) && !schema.IsSlug(x.req.Project) {
		return nil, x.unknownProject()
	}
	view, err := x.Store.Open(ctx, x.req.Project)
	switch {
	case err == nil:
		return view, nil
	case !fault.Is(err, fault.NotFound):
		return nil, fault.Wrap(err, "opening a view")
	case x.atCore():
		return nil, x.unknownProject()
	case x.req.NoProject && !x.previews():
		return nil, x.unknownProject()
	}
	return nil, errForward
}

// unknownProject is readable from everywhere (interface, "CORS"): there is nobody whose list could be asked.
func (x *exchange) unknownProject() error {
	x.resp.Headers = x.resp.Headers[:0]
	if canonicalOrigin(x.req.Origin) != "" {
		x.expose()
	}
	return noProject()
}

// noProject is also the answer to a key of somebody else and to the anonymous where the public API is off: all three
// look the same.
func noProject() error { return fault.New(fault.NotFound, noProjectDetail) }

const noProjectDetail = "there is no such project"

// IsNoProject reports whether a problem body says that there is no such project, for the caller who got it.
func IsNoProject(body []byte) bool {
	var said struct {
		Code   fault.Code `json:"code"`
		Detail string     `json:"detail"`
	}
	return json.Unmarshal(body, &said) == nil && said.Code == fault.NotFound && said.Detail == noProjectDetail
}

// previews reports whether the query carries a preview token, which opens what its bearer could not read otherwise.
func (x *exchange) previews() bool {
	q, _ := query.Parse(x.req.Route, x.req.RawQuery)
	return q.Preview
}
