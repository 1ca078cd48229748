package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"svc/edge/store/layout"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// subject drives a store through the changes that replication would bring.
type subject struct {
	t       fataler
	s       *Store
	feeds   map[string]*feed
	settled atomic.Int64 // milliseconds
	tune    *tuning      // nil: that of production
}

var _ readtest.KeySubject = (*subject)(nil)

func newSubject(t testing.TB, fs vfs.FS) *subject {
	sub := &subject{t: t, feeds: map[string]*feed{}}
	sub.open(fs)
	t.Cleanup(func() {
		if err := sub.s.Close(); err != nil {
			t.Error(err)
		}
	})
	return sub
}

func (sub *subject) open(fs vfs.FS) {
	sub.t.Helper()
	if sub.tune == nil {
		sub.tune = smallTuning()
	}
	cfg := sub.config(fs)
	cfg.setDefaults()
	var err error
	if sub.s, err = newStore(cfg, sub.tune); err != nil {
		sub.t.Fatal(err)
	}
}

// smallTuning is that of a store with the least memory.
func smallTuning() *tuning {
	return defaultTuning(MinMemoryBudget)
}

// indexTexts indexes the words of a log, or is interrupted.
func indexTexts(t *rapid.T, s *Store, id string) {
	if left := rapid.IntRange(0, 20).Draw(t, "batches"); left < 5 {
		interruptTexts(t, s, id, left)
	} else if err := s.indexAllTexts(id); err != nil {
		t.Fatal(err)
	}
}

// interruptTexts begins a pass and ends it after so many batches.
func interruptTexts(t fataler, s *Store, id string, batches int) {
	t.Helper()
	l := s.log(id)
	pass, err := s.beginTexts(l, nil)
	if err != nil {
		t.Fatal(err)
	}
	if pass == nil {
		return
	}
	interrupted := errors.New("interrupted")
	if err := pass.Run(s.db, func(batch *pebble.Batch) error {
		if batches--; batches < 0 {
			return interrupted
		}
		return s.commit(batch)
	}); err != nil && !errors.Is(err, interrupted) {
		t.Fatal(err)
	}
}

func (t *tuning) setChunks(c layout.Chunking) { t.rows.Chunks = c }

func (sub *subject) config(fs vfs.FS) Config {
	return Config{
		Dir: "/store", MemoryBudget: MinMemoryBudget, fs: fs, Logger: quiet(),
		Settled: func(string) time.Time { return time.UnixMilli(sub.settled.Load()) },
	}
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func (sub *subject) feed(id string) *feed {
	if sub.feeds[id] == nil {
		sub.feeds[id] = newFeed(id)
	}
	return sub.feeds[id]
}

func (sub *subject) apply(ctx context.Context, id string, kind record.Kind, b proto.Message) error {
	return sub.s.Apply(ctx, sub.feed(id).next(kind, b))
}

func (sub *subject) Store() read.Store { return keeping{sub.s} }

// keeping is a store whose views find what those before them have read.
type keeping struct{ *Store }

func (k keeping) Open(ctx context.Context, project string) (read.View, error) {
	k.sets.Wait()
	k.referred.Wait()
	return k.Store.Open(ctx, project)
}

func (sub *subject) Keys() read.Keys { return sub.s }

func (sub *subject) PutSettings(ctx context.Context, s readtest.Settings) error {
	return sub.apply(ctx, string(s.ID), record.KindProject, settingsBody(s))
}

func settingsBody(s readtest.Settings) *recordpb.Project {
	return &recordpb.Project{
		Id: string(s.ID), Organization: string(s.Organization), Slug: s.Slug, Name: s.Slug,
		PublicApiEnabled: s.PublicAPIEnabled, AllowedOrigins: s.AllowedOrigins, Locales: s.Locales,
		DefaultLocale: s.DefaultLocale, CursorKey: s.CursorKey, Deleted: s.Deleted, FromRelease: s.From, PinnedRelease: s.Pinned,
	}
}

func (sub *subject) PutSchema(ctx context.Context, project content.ProjectID, s readtest.Schema) error {
	b := &recordpb.Schema{FromRelease: s.From, Removed: s.Removed}
	for _, v := range s.Collections {
		b.Collections = append(b.Collections, &recordpb.CollectionVersion{
			Name: v.Name, Version: v.Version, Canonical: v.Canonical, Hash: fmt.Sprint("hash of ", v.Version), Label: v.Label,
		})
	}
	return sub.apply(ctx, string(project), record.KindSchema, b)
}

func (sub *subject) Publish(ctx context.Context, project content.ProjectID, r readtest.Release) error {
	b := &recordpb.Release{Number: r.Number, PublishedMs: r.PublishedAt.UnixMilli(), ChangeSet: fmt.Sprint("set ", r.Number)}
	for _, it := range r.Items {
		b.Items = append(b.Items, itemBody(it))
	}
	return sub.apply(ctx, string(project), record.KindRelease, b)
}

func itemBody(it readtest.Item) *recordpb.Item {
	out := &recordpb.Item{Entry: string(it.Entry), Collection: it.Collection, Operation: recordpb.Operation_OPERATION_PUT}
	switch {
	case it.Revision == "" && it.Deleted:
		out.Operation = recordpb.Operation_OPERATION_DELETE
		return out
	case it.Revision == "":
		out.Operation = recordpb.Operation_OPERATION_UNPUBLISH
		return out
	}
	out.Slug, out.Revision, out.SchemaVersion, out.Fields = it.Slug, string(it.Revision), it.SchemaVersion, []byte(it.Fields)
	return out
}

func (sub *subject) Arrange(ctx context.Context, project content.ProjectID, r readtest.Ranks) error {
	b := &recordpb.Rank{Collection: r.Collection}
	for entry, rank := range r.Entries {
		b.Entries = append(b.Entries, &recordpb.RankedEntry{Entry: string(entry), Rank: rank})
	}
	return sub.apply(ctx, string(project), record.KindRank, b)
}

func (sub *subject) Settle(_ context.Context, t time.Time) error {
	sub.settled.Store(t.UnixMilli())
	return nil
}

func (sub *subject) PutKey(ctx context.Context, g credential.Grant) error {
	return sub.apply(ctx, string(g.Organization), record.KindKey, record.KeyOf(&g))
}
