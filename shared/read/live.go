package read

import (
	"context"
	"time"

	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/query"
)

// Rights is what a caller may know of a project's changes at one moment: of public collections everybody may, of private ones
// those who may read them (contract, "Access").
type Rights struct {
	Project content.ProjectID
	// Release is what a read without at answers from, as in svc-release.
	Release uint64
	// Keyed says that they come from a key, and end with it: a key may expire without any change.
	Keyed bool

	grant *credential.Grant
	live  []*Collection
}

// Sees reports whether the caller may read a collection. What a key covers stays visible after the collection was removed.
func (r *Rights) Sees(collection string) bool {
	if r.grant != nil && r.grant.Has(credential.ContentRead) && r.grant.Covers(collection) {
		return true
	}
	for _, c := range r.live {
		if c.Schema.Name == collection {
			return ScopeOf(c.Schema) == ""
		}
	}
	return false
}

// Rights decides once more what a caller of RouteLive may know; an error says that it is nothing any more, or that no one can tell. It
// goes by the id of the project, since a slug may pass to another one, and counts as no read (Engine.Answered).
func (e *Engine) Rights(ctx context.Context, project content.ProjectID, authorization string) (*Rights, error) {
	x := exchange{Engine: e, resp: &Response{}, req: Request{
		Method: "GET", Route: query.RouteLive, Project: string(project), Authorization: authorization,
	}}
	x.preview = x.req.hasPreviewToken(&x.query)
	view, err := x.open(ctx)
	if err != nil {
		return nil, err
	}
	if view == nil {
		return nil, noProject()
	}
	defer view.Close()
	x.view, x.project = view, view.Project()
	if err := x.authorise(ctx); err != nil {
		return nil, err
	}
	return x.rights(), nil
}

func (x *exchange) rights() *Rights {
	return &Rights{Project: x.project.ID, Release: x.newest(), Keyed: x.grant != nil, grant: x.grant, live: x.view.Collections()}
}

// live makes the head of an answer that goes on with events. Core gets such a request from an edge that does not hold the
// project, and sends the reader to one that does.
func (x *exchange) live() error {
	if x.preview {
		return fault.New(fault.AuthenticationRequired, "live events tell of what is published: they take an API key or no credential, and no preview token")
	}
	if x.atCore() {
		return &fault.Error{
			Code: fault.Unavailable, RetryAfter: time.Second,
			Detail: "live events come from edges, and the one that was asked does not hold this project; try again, or ask another edge",
		}
	}
	r := x.resp
	r.Status, r.Rights = 200, x.rights()
	r.set("Content-Type", "text/event-stream")
	r.set("Cache-Control", "no-store, no-transform")
	r.set("X-Accel-Buffering", "no")
	x.setRelease()
	return nil
}
