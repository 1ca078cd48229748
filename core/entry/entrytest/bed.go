// Package entrytest gives tests of content a project in a database of its own, and short ways to change and read it.
// Only tests import it.
package entrytest

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/access"
	"svc/core/account"
	"svc/core/asset/assettest"
	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/postgres/postgrestest"
	"svc/core/project"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
)

// Bed is the project "site", with posts and authors, in a database of its own. Its methods end the test where they
// fail.
type Bed struct {
	testing.TB
	Pool  *pgxpool.Pool
	Actor *access.Actor // the system, unless a test says otherwise
	ID    content.ProjectID
}

// Posts and Authors are the collections of a new bed.
const (
	Posts = `{"name": "posts", "visibility": "public", "titleField": "title", "fields": {
		"title": {"type": "text", "required": true, "maxLength": 80},
		"slug": {"type": "slug", "from": "title"},
		"body": {"type": "markdown"},
		"author": {"type": "reference", "to": "authors"}}}`
	Authors = `{"name": "authors", "visibility": "public", "titleField": "name", "fields": {"name": {"type": "text", "required": true}}}`
)

// New returns a bed whose database ends with the test.
func New(t testing.TB) *Bed {
	t.Helper()
	b := &Bed{TB: t, Pool: postgrestest.OpenFilled(t, "entrytest", fill), Actor: access.System()}
	b.OK(b.Pool.QueryRow(t.Context(), `SELECT id FROM project`).Scan(&b.ID))
	return b
}

// fill makes the project of a bed.
func fill(ctx context.Context, pool *pgxpool.Pool) error {
	org, err := account.Bootstrap(ctx, pool, account.NewOrganization{Slug: "acme"}, "first")
	if err != nil {
		return err
	}
	p, err := project.Create(ctx, pool, access.System(), org.Organization.ID, project.NewProject{Slug: "site"})
	if err != nil {
		return err
	}
	_, err = schemadeploy.Push(ctx, pool, access.System(), p.ID, Proposal(Posts, Authors))
	return err
}

var beds atomic.Int64

// Fresh returns a bed with a project of its own in the database of b, for a part of a test.
func (b *Bed) Fresh(t testing.TB) *Bed {
	t.Helper()
	fresh := &Bed{TB: t, Pool: b.Pool, Actor: b.Actor}
	p, err := project.Create(t.Context(), b.Pool, b.Actor, One[content.OrganizationID](b, `SELECT id FROM organization`),
		project.NewProject{Slug: fmt.Sprintf("site-%d", beds.Add(1))})
	fresh.OK(err)
	fresh.ID = p.ID
	fresh.Push(Posts, Authors)
	return fresh
}

// OK ends the test on an error.
func (b *Bed) OK(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// Refused checks that err is a fault of this code and returns it.
func (b *Bed) Refused(err error, code fault.Code) *fault.Error {
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

// Push deploys these collections as the whole set.
func (b *Bed) Push(collections ...string) schemadeploy.Outcome {
	b.Helper()
	out, err := schemadeploy.Push(b.Context(), b.Pool, b.Actor, b.ID, Proposal(collections...))
	b.OK(err)
	return out
}

// Proposal is a set of collections, each as canonical JSON.
func Proposal(collections ...string) schemadeploy.Proposal {
	var p schemadeploy.Proposal
	for _, c := range collections {
		p.Collections = append(p.Collections, jsontext.Value(c))
	}
	return p
}

// Set makes a change set.
func (b *Bed) Set(title string) *changeset.ChangeSet {
	b.Helper()
	set, err := changeset.Create(b.Context(), b.Pool, b.Actor, b.ID, changeset.NewChangeSet{Title: title})
	b.OK(err)
	return set
}

// Create makes an entry in a set; without one, in a new one.
func (b *Bed) Create(set *changeset.ChangeSet, collection, data string) *entry.Written {
	b.Helper()
	w, err := entry.Create(b.Context(), b.Pool, b.Actor, b.ID, collection, Write(set, data))
	b.OK(err)
	return w
}

// Patch edits an entry in a set; without one, in the one it is in, or a new one.
func (b *Bed) Patch(set *changeset.ChangeSet, id content.EntryID, data string) *entry.Written {
	b.Helper()
	w, err := entry.Patch(b.Context(), b.Pool, b.Actor, b.ID, string(id), Write(set, data))
	b.OK(err)
	return w
}

// Write is what Create and Patch write.
func Write(set *changeset.ChangeSet, data string) entry.Write {
	w := entry.Write{Data: jsontext.Value(data)}
	if set != nil {
		w.ChangeSet = string(set.ID)
	}
	return w
}

// Publish publishes a set.
func (b *Bed) Publish(set *changeset.ChangeSet) *changeset.Published {
	b.Helper()
	p, err := b.TryPublish(set)
	b.OK(err)
	return p
}

// TryPublish is Publish for a set that may be refused.
func (b *Bed) TryPublish(set *changeset.ChangeSet) (*changeset.Published, error) {
	return changeset.Publish(b.Context(), b.Pool, b.Actor, b.ID, string(set.ID), true)
}

// Asset makes an asset of this type, which is a draft.
func (b *Bed) Asset(contentType string) content.AssetID {
	b.Helper()
	return assettest.Insert(b, b.Pool, b.ID, contentType)
}

// Get reads an entry.
func (b *Bed) Get(id content.EntryID) *entry.Entry {
	b.Helper()
	e, err := entry.Get(b.Context(), b.Pool, b.Actor, b.ID, string(id), "")
	b.OK(err)
	return e
}

// Published creates an entry and publishes it.
func (b *Bed) Published(collection, data string) *entry.Entry {
	b.Helper()
	w := b.Create(nil, collection, data)
	b.Publish(w.ChangeSet)
	return b.Get(w.Entry.ID)
}

// One reads a single value.
func One[T any](b *Bed, sql string, args ...any) T {
	b.Helper()
	var v T
	b.OK(b.Pool.QueryRow(b.Context(), sql, args...).Scan(&v))
	return v
}

// Codes lists what a fault found: the resource, path and code of each.
func Codes(f *fault.Error) string {
	out := ""
	for _, i := range f.Items {
		out += fmt.Sprintf("%s %s %s; ", i.ResourceID, i.Path, i.Code)
	}
	return out
}
