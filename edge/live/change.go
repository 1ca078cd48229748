package live

import (
	"time"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
)

// EventOf returns the event of a change in the log of a project. Release is the one from which reads without at answer since, and
// wasPublic are the collections that everybody could read until a deployment changed or removed them.
func EventOf(c *record.Change, release uint64, wasPublic []string) *Event {
	e := &Event{Project: content.ProjectID(c.Log), Seq: c.Position.Seq, Release: release}
	switch body := c.Body.(type) {
	case *recordpb.Release:
		e.Release, e.PublishedAt = body.Number, time.UnixMilli(body.PublishedMs)
		e.addItems(body.Items)
	case *recordpb.Rank:
		e.touch(body.Collection)
	case *recordpb.Schema:
		e.All = true
		for _, version := range body.Collections {
			e.touch(version.Name)
		}
		for _, name := range body.Removed {
			e.touch(name)
		}
		for _, name := range wasPublic {
			e.touch(name).WasPublic = true
		}
	default: // settings
		e.All = true
	}
	return e
}

// addItems names the entries of a release. Where they are too many, all of the project stands for them.
func (e *Event) addItems(items []*recordpb.Item) {
	e.All = len(items) > maxEntries
	for _, item := range items {
		c := e.touch(item.Collection)
		if !e.All {
			c.Entries = append(c.Entries, content.EntryID(item.Entry))
		}
	}
}

// touch returns what the event says of a collection. It is valid until the next call.
func (e *Event) touch(key string) *Collection {
	for i := range e.Collections {
		if e.Collections[i].Key == key {
			return &e.Collections[i]
		}
	}
	e.Collections = append(e.Collections, Collection{Key: key})
	return &e.Collections[len(e.Collections)-1]
}
