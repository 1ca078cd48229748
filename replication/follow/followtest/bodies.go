package followtest

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"

	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/schema"
)

// Project returns settings in force from a release on.
func Project(id, organization string, fromRelease uint64) *recordpb.Project {
	return &recordpb.Project{
		Id: id, Organization: organization, Slug: "p-" + id[len(id)-8:], Name: "A project", PublicApiEnabled: true,
		CursorKey: []byte("0123456789abcdef0123456789abcdef"), FromRelease: fromRelease,
	}
}

// Schema returns the deployment of one collection in a version, in force from a release on. Its entries have a title
// and may have a slug.
func Schema(collection string, version uint32, fromRelease uint64) *recordpb.Schema {
	c, err := schema.Parse(fmt.Appendf(nil, `{"name":%q,"label":"Posts","kind":"collection","visibility":"public","fields":{
		"title":{"type":"text","label":"Title","maxLength":%d},"slug":{"type":"slug","label":"Slug","from":"title"}}}`,
		collection, 100+version))
	if err != nil {
		panic(err)
	}
	return &recordpb.Schema{FromRelease: fromRelease, Collections: []*recordpb.CollectionVersion{{
		Name: collection, Version: version, Canonical: c.Canonical(), Hash: c.Hash(), Label: "Posts",
	}}}
}

// Release returns a release of items.
func Release(number uint64, items ...*recordpb.Item) *recordpb.Release {
	slices.SortFunc(items, func(a, b *recordpb.Item) int { return cmp.Compare(a.Entry, b.Entry) })
	return &recordpb.Release{
		Number: number, PublishedMs: 1_700_000_000_000 + int64(number), Items: items,
		ChangeSet: string(content.NewID[content.ChangeSetID]()),
	}
}

// Put returns an item that publishes a new revision of an entry with these fields, a JSON object.
func Put(entry, slug, fields string) *recordpb.Item {
	sum := sha256.Sum256([]byte(fields))
	return &recordpb.Item{
		Operation: recordpb.Operation_OPERATION_PUT, Entry: entry, Collection: "posts", Slug: slug,
		Revision: string(content.NewID[content.RevisionID]()), SchemaVersion: 1, Fields: []byte(fields), FieldsHash: sum[:],
	}
}

// Unpublish returns an item that takes an entry away.
func Unpublish(entry string) *recordpb.Item {
	return &recordpb.Item{Operation: recordpb.Operation_OPERATION_UNPUBLISH, Entry: entry, Collection: "posts"}
}

// Rank returns the move of an entry of posts.
func Rank(entry, rank string) *recordpb.Rank {
	return &recordpb.Rank{Collection: "posts", Entries: []*recordpb.RankedEntry{{Entry: entry, Rank: rank}}}
}

// Organization returns an organization.
func Organization(id string) *recordpb.Organization {
	return &recordpb.Organization{Id: id, Slug: "o-" + id[len(id)-8:], Name: "An organization"}
}

// Key returns a key of an organization.
func Key(id string, revoked bool) *recordpb.Key {
	sum := sha256.Sum256([]byte(id))
	return &recordpb.Key{Id: id, PublicId: id[len(id)-16:], Hash: sum[:], Scopes: []string{"content:read"}, Revoked: revoked}
}

// Entry makes an entry id.
func Entry() string { return string(content.NewID[content.EntryID]()) }
