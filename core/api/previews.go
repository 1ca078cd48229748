package api

import (
	"time"

	"svc/core/preview"
	"svc/core/wire"
	"svc/shared/content"
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
	return pageOf(previewOf)(preview.ListTokens(c.ctx(), c.server.Pool, c.project.ID, c.param("changeSet"), c.page()))
}

func getPreview(c *call) (wire.Preview, error) {
	return as(previewOf)(preview.GetToken(c.ctx(), c.server.Pool, c.project.ID, c.param("preview")))
}

func revokePreview(c *call) (wire.Preview, error) {
	return as(previewOf)(preview.RevokeToken(c.ctx(), c.server.Pool, c.actor, c.project, c.param("preview")))
}
