package api

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"svc/core/preview"
	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/query"
	"svc/shared/read"
)

func previewOf(t preview.Token) wire.Preview {
	return wire.Preview{
		ID: t.ID, Project: t.Project, ChangeSet: t.ChangeSet, Entry: orNull(t.Entry), CreatedBy: orNull(t.CreatedBy),
		CreatedAt: wire.Time{Time: t.CreatedAt}, ExpiresAt: wire.Time{Time: t.ExpiresAt}, RevokedAt: wire.Time{Time: t.RevokedAt},
	}
}

func createPreview(c *call, in wire.NewPreview) (out wire.CreatedPreview, err error) {
	ask := preview.NewToken{ChangeSet: c.param("changeSet"), Life: preview.DefaultLife}
	if in.Entry.Value != nil {
		if ask.Entry, err = idAt[content.EntryID]("entryId", string(*in.Entry.Value)); err != nil {
			return out, err
		}
	}
	if seconds := in.ExpiresInSeconds.Value; seconds != nil {
		ask.Life = time.Duration(min(max(*seconds, 0), 1<<32)) * time.Second // which is out of range too, and no overflow
	}
	token, secret, err := preview.CreateToken(c.ctx(), c.server.Pool, c.actor, c.project, ask)
	return wire.CreatedPreview{Preview: previewOf(token), Token: secret}, err
}

// listPreviews lists those of a change set where the path names one, and else those of the project.
func listPreviews(c *call) (wire.List[wire.Preview], error) {
	return pageOf(previewOf)(preview.ListTokens(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("changeSet"), c.page()))
}

func getPreview(c *call) (wire.Preview, error) {
	return as(previewOf)(preview.GetToken(c.ctx(), c.server.Pool, c.actor, c.project.ID, c.param("preview")))
}

func revokePreview(c *call) (wire.Preview, error) {
	return as(previewOf)(preview.RevokeToken(c.ctx(), c.server.Pool, c.actor, c.project, c.param("preview")))
}

// anyOrigin lets pages of every origin read an answer of the route that resolves preview tokens.
func anyOrigin(g *gin.Context) {
	for _, h := range read.ResolveHeaders(g.Request.Method) {
		g.Header(h.Name, h.Value)
	}
}

// resolvePreview says what a preview token shows. The token is all the credential that it takes.
func (s *Server) resolvePreview(g *gin.Context) {
	anyOrigin(g)
	if g.Request.Method == http.MethodOptions {
		send(g, http.StatusNoContent, nil)
		return
	}
	c := &call{server: s, gin: g, route: &route{method: get}}
	defer c.close()
	var end func()
	c.work, c.clock, end = limited(g.Request, s.times.read)
	c.cleanup = append(c.cleanup, end)
	resolved, err := c.resolvePreview()
	if err != nil {
		s.problem(g, late(c.work, err))
		return
	}
	s.write(g, reply{http.StatusOK, wire.Envelope[wire.ResolvedPreview]{Data: resolved}})
}

func (c *call) resolvePreview() (out wire.ResolvedPreview, err error) {
	asked, err := query.Parse(query.RouteResolve, c.gin.Request.URL.RawQuery)
	if err != nil {
		return out, err
	}
	token, err := read.PreviewToken(joined(c.gin.Request.Header, "Authorization"), asked.Preview)
	if err != nil {
		return out, err
	}
	if token == "" {
		return out, fault.New(fault.AuthenticationRequired, "this needs a preview token: send ?token= or Authorization: Bearer <preview token>")
	}
	p, err := c.server.Reader.Preview(c.ctx(), token)
	if err != nil {
		return out, err
	}
	r, err := preview.Resolve(c.ctx(), c.server.Pool, p)
	if err != nil {
		return out, err
	}
	out = wire.ResolvedPreview{
		ID: r.Token.ID, Project: wire.PreviewProject{ID: r.Project.ID, Slug: r.Project.Slug},
		ChangeSet: wire.PreviewChangeSet{ID: r.ChangeSet.ID, Title: r.ChangeSet.Title, Status: r.ChangeSet.Status},
		ExpiresAt: wire.Time{Time: r.Token.ExpiresAt},
	}
	if r.Token.Entry != "" {
		out.Entry = &wire.PreviewEntry{ID: r.Token.Entry, Collection: r.Collection, Slug: r.Slug}
	}
	return out, nil
}
