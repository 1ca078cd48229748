package read

import (
	"context"

	"github.com/go-json-experiment/json"

	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

// open is the first step. It returns no view where the store holds no such project.
func (x *exchange) open(ctx context.Context) (View, error) {
	if !x.mayExist() {
		return nil, nil
	}
	view, err := x.Store.Open(ctx, x.req.Project)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return view, fault.Wrap(err, "opening a view")
}

// mayExist reports whether a project can have this id or slug.
func (x *exchange) mayExist() bool {
	return content.IsID[content.ProjectID](x.req.Project) || schema.IsSlug(x.req.Project)
}

// hidden reports whether the caller is told that there is no such project: there is none, or its public API is off and no key
// that reaches it was shown. From what goes by this alone, no one can tell the one from the other.
func (x *exchange) hidden() bool {
	return x.project == nil || !x.project.PublicAPIEnabled && x.grant == nil
}

// elsewhere reports whether core must say that there is no such project, since this is an edge: it may be new or not placed
// here, or open by now. What is hidden here goes the same way as what is not here.
func (x *exchange) elsewhere() bool {
	return !x.atCore() && x.mayExist() && (!x.req.NoProject || x.preview)
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
