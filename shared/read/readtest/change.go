// Package readtest holds what every implementation of the public read must do: a suite for stores, HTTP scripts for
// everything above them, and two models that these are checked against: Memory, a plain store, and a naive reader, which answers
// reads from the history that Memory holds without the read engine.
package readtest

import (
	"context"
	"time"

	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/read"
)

// Subject is a store under test together with the ways to change what it holds. Each change is visible to views
// opened after the call returned.
type Subject interface {
	Store() read.Store
	// PutSettings makes the settings of a project live; it creates the project where it is new.
	PutSettings(ctx context.Context, s Settings) error
	PutSchema(ctx context.Context, project content.ProjectID, s Schema) error
	Publish(ctx context.Context, project content.ProjectID, r Release) error
	Arrange(ctx context.Context, project content.ProjectID, r Ranks) error
	// Settle says that no release before t can appear any more. A store with a clock of its own has nothing to do.
	Settle(ctx context.Context, t time.Time) error
}

// KeySubject is a subject that keeps API keys too.
type KeySubject interface {
	Subject
	Keys() read.Keys
	PutKey(ctx context.Context, g credential.Grant) error
}

// Settings are all settings of a project, and the first release that is published under them.
type Settings struct {
	read.Project
	Deleted bool
	From    uint64
}

// Schema puts versions of collections in force for the releases from From on. What it does not name stays.
type Schema struct {
	Number      uint64 // of the push: 1, 2, 3 …
	From        uint64
	Collections []Version
	Removed     []string
}

// Version is one collection at a version.
type Version struct {
	Name      string
	Version   uint32
	Canonical []byte
	Label     string // the live label
}

// Release is a publish. Numbers ascend; some may have been left out.
type Release struct {
	content.Release
	Items []Item
}

// Item is what a release does to one entry. Without a revision it takes the entry away: unpublished, or deleted.
type Item struct {
	Entry         content.EntryID
	Collection    string
	Slug          string
	Revision      content.RevisionID
	SchemaVersion uint32
	Fields        string // canonical JSON object
	Deleted       bool
}

// Ranks moves entries in the editorial order of a collection; an empty rank unarranges.
type Ranks struct {
	Collection string
	Entries    map[content.EntryID]string
}

// Entry, Revision, Project and Organization are ids for tests: the same number gives the same id, and ids sort as
// their numbers do.
func Entry(n uint64) content.EntryID               { return id[content.EntryID](n) }
func Revision(n uint64) content.RevisionID         { return id[content.RevisionID](n) }
func Project(n uint64) content.ProjectID           { return id[content.ProjectID](n) }
func Organization(n uint64) content.OrganizationID { return id[content.OrganizationID](n) }

func id[T content.ID](n uint64) T {
	var b [16]byte
	b[0] = 1
	for i := range 8 {
		b[15-i] = byte(n >> (8 * i))
	}
	return content.FromBytes[T](b)
}
