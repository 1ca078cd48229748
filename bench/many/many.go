// Package many fills a deployment with many small projects, and reads them.
package many

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"svc/bench/node"
	"svc/core/access"
	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/content"
)

// atOnce is how many projects are made or read at the same time.
const atOnce = 12

const posts = `{"name":"posts","visibility":"public","fields":{"title":{"type":"text","required":true}}}`

// Projects are the projects of an organization that were made here, numbered from 0.
type Projects struct {
	Pool         *pgxpool.Pool
	Organization string
	Made         int
}

func slug(n int) string { return fmt.Sprintf("many-%05d", n) }

// Make makes n projects more, with a release of one post each. It works on the database, as several cores would.
func (p *Projects) Make(ctx context.Context, n int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range n {
		group.Go(func() error { return p.makeOne(ctx, p.Made+i) })
	}
	err := group.Wait()
	p.Made += n
	return err
}

func (p *Projects) makeOne(ctx context.Context, n int) error {
	actor := access.System()
	made, err := project.Create(ctx, p.Pool, actor, content.OrganizationID(p.Organization), project.NewProject{Slug: slug(n)})
	if err != nil {
		return err
	}
	if _, err := schemadeploy.Push(ctx, p.Pool, actor, made.ID, schemadeploy.Proposal{Collections: []jsontext.Value{jsontext.Value(posts)}}); err != nil {
		return err
	}
	post := entry.Write{Data: jsontext.Value(fmt.Sprintf(`{"title":"Of project %d"}`, n))}
	written, err := entry.Create(ctx, p.Pool, actor, made.ID, "posts", post)
	if err != nil {
		return err
	}
	_, err = changeset.Publish(ctx, p.Pool, actor, made.ID, string(written.ChangeSet.ID), true)
	return err
}

// Read reads the list of every project from a node, in an order drawn by chance.
func (p *Projects) Read(ctx context.Context, from node.Node, random *rand.Rand) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, n := range random.Perm(p.Made) {
		group.Go(func() error {
			answer, err := from.Get(ctx, node.List(slug(n), "posts"))
			if err != nil {
				return err
			}
			if answer.Status != http.StatusOK || !bytes.Contains(answer.Body, fmt.Appendf(nil, `"Of project %d"`, n)) {
				return fmt.Errorf("project %d is answered with %d: %s", n, answer.Status, answer.Body)
			}
			return nil
		})
	}
	return group.Wait()
}
