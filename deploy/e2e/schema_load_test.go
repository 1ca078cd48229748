package e2e

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/errgroup"

	"svc/bench/node"
	"svc/core/client"
	"svc/deploy/local/localtest"
)

// schemaRounds is how often all schemas are deployed.
var schemaRounds = localtest.Size(2, 3)

const (
	stillPosts   = 5  // posts that no one edits
	editedPosts  = 15 // and those that somebody does
	schemaWriter = 2
)

// deployedPosts is what is deployed of the posts for a while.
type deployedPosts struct {
	schema string // a format that takes the label; empty: the collection is removed
	status int    // of a list that is read without a key
	shape  shape
}

// deployments lose fields and slugs, the collection, and public access, and bring all of it back.
var deployments = []deployedPosts{
	{schemaWhole, http.StatusOK, showsAll},
	{schemaReduced, http.StatusOK, showsLess},
	{"", http.StatusNotFound, showsNothing},
	{schemaReduced, http.StatusOK, showsLess},
	{schemaWhole, http.StatusOK, showsAll},
	{schemaHidden, http.StatusUnauthorized, showsAll},
}

const (
	schemaWhole = `{"name":"posts","label":%q,"visibility":"public","fields":{
		"title":{"type":"text"},"slug":{"type":"slug","from":"title"},"a":{"type":"number"},"b":{"type":"number"}}}`
	schemaHidden = `{"name":"posts","label":%q,"visibility":"private","fields":{
		"title":{"type":"text"},"slug":{"type":"slug","from":"title"},"a":{"type":"number"},"b":{"type":"number"}}}`
	schemaReduced   = `{"name":"posts","label":%q,"visibility":"public","fields":{"b":{"type":"number"},"title":{"type":"text"}}}`
	schemaLocalized = `{"name":"posts","label":%q,"visibility":"public","fields":{
		"title":{"type":"text","localized":true},"slug":{"type":"slug","from":"title"},"b":{"type":"number"}}}`
	schemaPages = `{"name":"pages","label":%q,"visibility":"public","fields":{"title":{"type":"text"}}}`
)

// TestSchemasChangeUnderReadersAndAuthors: while authors publish and others read, schemas are deployed that take fields,
// slugs, the collection and public access away and bring them back. Every answer of core and both edges is of one
// deployment, no older than what everybody had seen before it was asked for, and never goes back; what is pinned stays
// what it was, to the byte. In the end, and while the collection is gone, edges and core hold the same.
func TestSchemasChangeUnderReadersAndAuthors(t *testing.T) {
	l := newSchemaLoad(newBed(t))
	ended, over := context.WithCancel(t.Context())
	group, ctx := errgroup.WithContext(ended)
	key := l.mint("content:read")
	for _, n := range append(l.nodes(), with(key.Secret, l.edges()...)...) {
		r := &schemaReader{schemaLoad: l, node: n}
		group.Go(func() error { return whileOpen(ctx, r.read) })
	}
	for i := range schemaWriter {
		w := &schemaAuthor{schemaLoad: l, number: i}
		group.Go(func() error { return whileOpen(ctx, w.publish) })
	}
	group.Go(func() error {
		defer over()
		for range schemaRounds * len(deployments) {
			if err := l.next(ctx); err != nil {
				return err
			}
			if err := l.seen(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	l.check(group.Wait())
	t.Logf("%d deployments; %d answers were read, %d entries published, %d refused", l.floor.Load(), l.answers.Load(), l.releases.Load(), l.refusals.Load())
	l.leave()
}

// seen waits until readers and authors have met the last deployment: without that the machine would decide how much this shows.
func (l *schemaLoad) seen(ctx context.Context) error {
	answers, tried := l.answers.Load(), l.tried()
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not within %s", patience))
	defer cancel()
	return node.Until(ctx, func(context.Context) error {
		if a, e := l.answers.Load()-answers, l.tried()-tried; a < 20 || e < schemaWriter {
			return fmt.Errorf("%d answers were read and %d edits made since", a, e)
		}
		return nil
	})
}

// tried is how many edits were published or refused.
func (l *schemaLoad) tried() int64 { return l.releases.Load() + l.refusals.Load() }

// whileOpen repeats until ctx ends, which is no error.
func whileOpen(ctx context.Context, do func(context.Context) error) error {
	for ctx.Err() == nil {
		if err := do(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// schemaLoad is a project whose schemas change. Deployments are numbered from 1 and are the labels of all collections.
type schemaLoad struct {
	*bed
	ids    []string // of the posts
	page   string   // an entry that stays
	pinned []byte   // the list at release 1

	ceiling, floor              atomic.Int64 // the last that was begun, and that all nodes show
	answers, releases, refusals atomic.Int64
}

func newSchemaLoad(b *bed) *schemaLoad {
	l := &schemaLoad{bed: b}
	_, err := b.api.UpdateProject(b.t.Context(), b.project.Slug, map[string]any{"locales": []string{"en", "de"}, "defaultLocale": "en"})
	b.check(err)
	b.check(l.next(b.t.Context()))
	set := b.set("Posts")
	for n := range stillPosts + editedPosts {
		l.ids = append(l.ids, b.create(set, "posts", map[string]any{"title": fmt.Sprintf("Post number %d", n), "a": 1000 + n, "b": 0}))
	}
	l.page = b.create(set, "pages", map[string]any{"title": "Page"})
	b.publish(set)
	b.await(1, "pages", b.nodes()...)
	l.pinned = b.same(b.nodes(), b.list("posts")+"?limit=100&at=1").Body
	return l
}

// of is what a deployment deploys.
func (l *schemaLoad) of(n int64) deployedPosts { return deployments[(n-1)%int64(len(deployments))] }

// next deploys what comes next and waits until all nodes show it.
func (l *schemaLoad) next(ctx context.Context) error {
	n := l.ceiling.Add(1)
	if err := l.push(ctx, n, l.of(n).schema); err != nil {
		return fmt.Errorf("deployment %d: %w", n, err)
	}
	l.floor.Store(n)
	return nil
}

func (l *schemaLoad) push(ctx context.Context, n int64, posts string) error {
	label := fmt.Sprint(n)
	set := []jsontext.Value{jsontext.Value(fmt.Sprintf(schemaPages, label))}
	if posts != "" {
		set = append(set, jsontext.Value(fmt.Sprintf(posts, label)))
	}
	if _, err := l.api.PushSchema(ctx, l.project.Slug, set, true, "Deployment "+label); err != nil {
		return err
	}
	return l.show(ctx, label)
}

// show waits until all nodes show a label.
func (l *schemaLoad) show(ctx context.Context, label string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not within %s", patience))
	defer cancel()
	return node.Until(ctx, func(ctx context.Context) error {
		answers, err := node.Ask(ctx, l.nodes(), l.collections())
		if err != nil {
			return err
		}
		for _, a := range answers {
			labels, err := labelsIn(a)
			if err != nil {
				return err
			}
			if labels["pages"] != label {
				return fmt.Errorf("%s shows deployment %s, not %s", a.Node, labels["pages"], label)
			}
		}
		return nil
	})
}

func (l *schemaLoad) collections() string { return "/v1/projects/" + l.project.Slug + "/collections" }

// schemaAuthor publishes edits of its own posts, and of a page while there are no posts.
type schemaAuthor struct {
	*schemaLoad
	number int
	edits  int
}

func (w *schemaAuthor) publish(ctx context.Context) error {
	set, err := w.api.CreateChangeSet(ctx, w.project.Slug, "Edit", "")
	if err != nil {
		return err
	}
	w.edits++
	id := w.ids[stillPosts+(w.edits*schemaWriter+w.number)%(editedPosts/schemaWriter*schemaWriter)]
	_, err = w.api.PatchEntry(ctx, w.project.Slug, id, client.Patch{Data: map[string]int{"b": w.edits}, ChangeSetID: string(set.ID)})
	if err == nil {
		_, err = w.api.Publish(ctx, w.project.Slug, string(set.ID))
	}
	if err == nil {
		w.releases.Add(1)
		return nil
	}
	// Between the edit and its release the collection may have gone, and before the edit.
	if !isRefusal(err, "NOT_FOUND") && !isRefusal(err, "PUBLISH_VALIDATION_FAILED") {
		return fmt.Errorf("author %d: %w", w.number, err)
	}
	w.refusals.Add(1)
	_, err = w.api.Close(ctx, w.project.Slug, string(set.ID))
	return err
}
