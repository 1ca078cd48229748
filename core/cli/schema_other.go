package cli

import (
	"context"
	"errors"
	"strconv"

	"svc/core/client"
	"svc/shared/fault"
)

// other is a second project that a command is about, and the flag that names it.
type other struct {
	flag, project string
}

func (o other) check() error {
	if !isProject(o.project) {
		return usage("", "%s is %q; it must be the slug or the id (prj_…) of a project", o.flag, o.project)
	}
	return nil
}

// aboutOther tells a refusal that is about the other project from one about the project of the settings: the service
// says of both that there is no such project.
func (a *app) aboutOther(ctx context.Context, c *client.Client, project string, o other, err error) error {
	var service *client.Error
	if !errors.As(err, &service) || service.Code != string(fault.NotFound) {
		return err
	}
	if _, missing := c.Project(ctx, project); missing != nil {
		return err
	}
	f := a.explain(err)
	f.detail = "there is no project " + strconv.Quote(o.project)
	f.hint = o.flag + " names it, as slug or id: is it spelt so, in the credential's organization, and may the credential read it?"
	return f
}
