package table

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/go-json-experiment/json"
	"google.golang.org/protobuf/proto"

	"svc/edge/store"
	"svc/replication/follow"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/read"
)

const (
	// edgeMemory is the default budget of an edge in bytes (SVC_EDGE_MEMORY), of which the store gets a half.
	edgeMemory = 384 << 20
	// releaseEntries is how many documents the first releases publish each.
	releaseEntries = 10_000
	// editedEntries is how many documents each later release publishes again.
	editedEntries = 10
)

// Store is a store with documents and releases, opened as an edge with the default configuration opens it.
type Store struct {
	// Entries and Releases are how many it holds. Pin is a release in the middle at which it held all entries already.
	Entries  int
	Releases uint64
	Pin      uint64
	// EntryBytes are the bytes of all documents as they were first published.
	EntryBytes int64

	store   *store.Store
	engine  *read.Engine
	log     string
	at      record.Position
	revised uint64
	undo    func() // of the limit of memory
}

func id[T content.ID](n uint64) T {
	b := [16]byte{0: 1}
	binary.BigEndian.PutUint64(b[8:], n)
	return content.FromBytes[T](b)
}

// Build opens a store in a directory of its own and loads so many entries and releases into it, as an edge loads a snapshot.
func Build(ctx context.Context, dir string, entries int, releases uint64) (_ *Store, err error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	s := &Store{Entries: entries, Releases: releases, log: string(id[content.ProjectID](1)), undo: store.LimitMemory(edgeMemory)}
	if s.store, err = store.New(storeConfig(dir)); err != nil {
		return nil, err
	}
	s.engine = &read.Engine{
		Store: s.store, Keys: s.store, Now: time.Now,
		Await: func(context.Context, content.ProjectID, uint64) error { return nil },
	}
	if err := errors.Join(s.load(ctx), s.settle(ctx)); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// settle waits until the store has put in order what was loaded, which takes processor time for some seconds after it.
func (s *Store) settle(ctx context.Context) error {
	const often, unchanged = 100 * time.Millisecond, 3 * time.Second
	debt, since := int64(-1), time.Now()
	for ctx.Err() == nil {
		h, err := s.store.Health()
		if err != nil {
			return err
		}
		switch left := int64(h.CompactionDebt); {
		case left != debt:
			debt, since = left, time.Now()
		case left == 0 || time.Since(since) >= unchanged:
			return nil
		}
		time.Sleep(often)
	}
	return ctx.Err()
}

func storeConfig(dir string) store.Config {
	return store.Config{Dir: dir, MemoryBudget: edgeMemory / 2, Logger: slog.New(slog.DiscardHandler)}
}

// Close closes the store; its directory stays.
func (s *Store) Close() error {
	s.undo()
	return s.store.Close()
}

func (s *Store) load(ctx context.Context) error {
	loader, err := s.store.Load(ctx, s.log)
	if err != nil {
		return err
	}
	if err := s.add(ctx, loader); err != nil {
		return errors.Join(err, loader.Abort())
	}
	s.at = record.Position{Epoch: 1, Seq: s.Releases + 2}
	return loader.Commit(ctx, s.at)
}

// add gives the loader the settings, the schema, the releases that publish every document, and those that edit some.
func (s *Store) add(ctx context.Context, loader follow.Loader) error {
	if err := loader.Add(ctx, record.KindProject, &recordpb.Project{
		Id: s.log, Organization: string(id[content.OrganizationID](1)), Slug: Project, PublicApiEnabled: true, FromRelease: 1,
		CursorKey: make([]byte, 32),
	}); err != nil {
		return err
	}
	if err := loader.Add(ctx, record.KindSchema, &recordpb.Schema{FromRelease: 1, Collections: []*recordpb.CollectionVersion{
		{Name: Collection, Version: 1, Label: "Articles", Canonical: []byte(Schema)},
	}}); err != nil {
		return err
	}
	number := uint64(0)
	publish := func(documents []int, version int) error {
		number++
		release, err := s.release(number, documents, version)
		if err != nil {
			return err
		}
		return loader.Add(ctx, record.KindRelease, release)
	}
	for first := 0; first < s.Entries; first += releaseEntries {
		var all []int
		for n := first; n < min(s.Entries, first+releaseEntries); n++ {
			all = append(all, n)
		}
		if err := publish(all, 1); err != nil {
			return err
		}
	}
	s.Pin = number + (s.Releases-number)/2
	for number < s.Releases {
		var some []int
		for i := range editedEntries {
			some = append(some, (int(number)*editedEntries+i)*7919%s.Entries)
		}
		if err := publish(some, int(number)+1); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) release(number uint64, documents []int, version int) (*recordpb.Release, error) {
	r := &recordpb.Release{Number: number, PublishedMs: begin.UnixMilli() + int64(number)*1000}
	for _, n := range documents {
		d := At(n, version)
		d.Next = string(id[content.EntryID](uint64(n * 31 % s.Entries)))
		fields, err := json.Marshal(d)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", n, err)
		}
		if version == 1 {
			s.EntryBytes += int64(len(fields))
		}
		s.revised++
		r.Items = append(r.Items, &recordpb.Item{
			Operation: recordpb.Operation_OPERATION_PUT, Entry: string(id[content.EntryID](uint64(n))), Collection: Collection,
			Slug: d.Slug, Revision: string(id[content.RevisionID](s.revised)), SchemaVersion: 1, Fields: fields,
		})
	}
	return r, nil
}

// Publish applies a release of one document, which is another each time, as replication does.
func (s *Store) Publish(ctx context.Context) error {
	s.Releases++
	r, err := s.release(s.Releases, []int{int(s.Releases) * 7919 % s.Entries}, int(s.Releases))
	if err != nil {
		return err
	}
	c, err := s.change(record.KindRelease, r)
	if err != nil {
		return err
	}
	return s.store.Apply(ctx, c)
}

// change makes the change that follows.
func (s *Store) change(kind record.Kind, body proto.Message) (*record.Change, error) {
	digest, err := record.Digest(kind, body)
	if err != nil {
		return nil, err
	}
	seq := s.at.Seq + 1
	c := &record.Change{Log: s.log, Prev: s.at.Chain, Kind: kind, Digest: digest, Time: begin, Body: body}
	c.Position = record.Position{Epoch: s.at.Epoch, Seq: seq, Chain: record.Link(s.at.Chain, seq, kind, digest)}
	s.at = c.Position
	return c, nil
}
