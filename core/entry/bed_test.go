package entry_test

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/account"
	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/postgres"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/deploy/local/localtest"
	"svc/shared/content"
	"svc/shared/fault"
)

// bed is a project in a database of its own.
type bed struct {
	testing.TB
	pool  *pgxpool.Pool
	actor *access.Actor
	id    content.ProjectID
}

const (
	posts = `{"name": "posts", "visibility": "public", "titleField": "title", "fields": {
		"title": {"type": "text", "required": true, "maxLength": 80},
		"slug": {"type": "slug", "from": "title"},
		"body": {"type": "markdown"},
		"author": {"type": "reference", "to": "authors"}}}`
	authors = `{"name": "authors", "visibility": "public", "titleField": "name", "fields": {"name": {"type": "text", "required": true}}}`
)

func newBed(t testing.TB) *bed {
	t.Helper()
	key, err := postgres.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	pool, err := postgres.Open(t.Context(), localtest.PostgresFrom(t, key, postgres.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	b := &bed{TB: t, pool: pool, actor: access.System()}
	org, err := account.Bootstrap(t.Context(), pool, account.NewOrganization{Slug: "acme"}, "first")
	b.ok(err)
	p, err := project.Create(t.Context(), pool, b.actor, org.Organization.ID, project.NewProject{Slug: "site"})
	b.ok(err)
	b.id = p.ID
	b.push(posts, authors)
	return b
}

func (b *bed) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// refused checks that err is a fault of this code and returns it.
func (b *bed) refused(err error, code fault.Code) *fault.Error {
	b.Helper()
	if err == nil {
		b.Fatalf("no error, want %s", code)
	}
	f := fault.As(err)
	if f.Code != code {
		b.Fatalf("%v, want %s", err, code)
	}
	return f
}

func (b *bed) push(collections ...string) schemadeploy.Outcome {
	b.Helper()
	out, err := schemadeploy.Push(b.Context(), b.pool, b.actor, b.id, proposal(collections...))
	b.ok(err)
	return out
}

func proposal(collections ...string) schemadeploy.Proposal {
	var p schemadeploy.Proposal
	for _, c := range collections {
		p.Collections = append(p.Collections, jsontext.Value(c))
	}
	return p
}

func (b *bed) set(title string) *changeset.ChangeSet {
	b.Helper()
	set, err := changeset.Create(b.Context(), b.pool, b.actor, b.id, changeset.NewChangeSet{Title: title})
	b.ok(err)
	return set
}

func (b *bed) create(set *changeset.ChangeSet, collection, data string) *entry.Written {
	b.Helper()
	w, err := entry.Create(b.Context(), b.pool, b.actor, b.id, collection, write(set, data))
	b.ok(err)
	return w
}

func (b *bed) patch(set *changeset.ChangeSet, id content.EntryID, data string) *entry.Written {
	b.Helper()
	w, err := entry.Patch(b.Context(), b.pool, b.actor, b.id, string(id), write(set, data))
	b.ok(err)
	return w
}

func write(set *changeset.ChangeSet, data string) entry.Write {
	w := entry.Write{Data: jsontext.Value(data)}
	if set != nil {
		w.ChangeSet = string(set.ID)
	}
	return w
}

func (b *bed) publish(set *changeset.ChangeSet) *changeset.Published {
	b.Helper()
	p, err := b.tryPublish(set)
	b.ok(err)
	return p
}

func (b *bed) tryPublish(set *changeset.ChangeSet) (*changeset.Published, error) {
	return changeset.Publish(b.Context(), b.pool, b.actor, b.id, string(set.ID), true)
}

func (b *bed) get(id content.EntryID) *entry.Entry {
	b.Helper()
	e, err := entry.Get(b.Context(), b.pool, b.actor, b.id, string(id), "")
	b.ok(err)
	return e
}

// published creates an entry and publishes it.
func (b *bed) published(collection, data string) *entry.Entry {
	b.Helper()
	w := b.create(nil, collection, data)
	b.publish(w.ChangeSet)
	return b.get(w.Entry.ID)
}

// one reads a single value.
func one[T any](b *bed, sql string, args ...any) T {
	b.Helper()
	var v T
	b.ok(b.pool.QueryRow(b.Context(), sql, args...).Scan(&v))
	return v
}

func codes(f *fault.Error) string {
	out := ""
	for _, i := range f.Items {
		out += fmt.Sprintf("%s %s %s; ", i.ResourceID, i.Path, i.Code)
	}
	return out
}
