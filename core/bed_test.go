package core_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/core"
	"svc/core/changelog"
	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/project"
	"svc/deploy/local/localtest"
	"svc/replication/follow"
	"svc/replication/follow/followtest"
	"svc/replication/record"
	"svc/replication/stream"
	"svc/shared/blob"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/telemetry"
)

const secret = "the cluster's secret, of enough characters"

// bed is a project in a database, a stream, a bucket, and cores and edges between them.
type bed struct {
	*entrytest.Bed
	nats   *localtest.Server
	cfg    core.Config
	source *changelog.Source
	blobs  blob.Store
	logs   *lines
}

func newBed(t testing.TB) *bed {
	t.Helper()
	b := &bed{Bed: entrytest.New(t), nats: localtest.StartNATS(t), logs: &lines{}}
	bucket := localtest.S3(t)
	b.cfg = core.Config{
		Listen: "127.0.0.1:0", DatabaseURL: b.Pool.Config().ConnString(), ClusterSecret: secret,
		Stream: stream.Config{URL: b.nats.URL},
		Blob: blob.Config{Endpoint: bucket.Endpoint, Region: bucket.Region, Bucket: bucket.Name,
			AccessKey: bucket.AccessKey, SecretKey: bucket.SecretKey, Connect: 5 * time.Second, Stall: 10 * time.Second},
		Telemetry: telemetry.Config{LogLevel: "info", LogFormat: "text"},
	}
	b.source = changelog.NewSource(b.Pool, nil, b.logger())
	blobs, err := blob.OpenS3(b.cfg.Blob)
	b.OK(err)
	b.blobs = blobs
	return b
}

func (b *bed) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(io.MultiWriter(b.Output(), b.logs), nil))
}

// core is node for who needs its address alone.
func (b *bed) core() (address string, stop func()) {
	b.Helper()
	c, stop := b.node()
	return "http://" + c.Address(), stop
}

func (b *bed) run(part func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.Context()))
	done := make(chan error, 1)
	go func() { done <- part(ctx) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			b.Errorf("ended with %v", err)
		}
	})
}

// edge follows core until the test ends or stop is called.
func (b *bed) edge(address string) (store *followtest.Store, stop func()) {
	b.Helper()
	conn, err := stream.Connect(stream.Config{URL: b.nats.URL, Name: "edge"}, b.logger())
	b.OK(err)
	b.Cleanup(conn.Close)
	client := follow.NewCoreClient(address, secret)
	b.Cleanup(client.Close)
	store = &followtest.Store{}
	f := follow.New(follow.Config{
		Edge: "edge-1", Applier: store, Stream: conn, Core: client, Blobs: b.blobs, Logger: b.logger(),
		Tuning: follow.Tuning{Jitter: 10 * time.Millisecond, Report: 100 * time.Millisecond},
	})
	stop = b.run(f.Run)
	b.Cleanup(stop)
	return store, stop
}

// release publishes a new entry, as soon as publishing is possible.
func (b *bed) release(title string) *changeset.Published {
	b.Helper()
	var out *changeset.Published
	b.until("publish "+title, func() bool {
		p, err := b.tryRelease(title)
		if err != nil && fault.As(err).Code != fault.Unavailable && !strings.Contains(err.Error(), "terminating connection") {
			b.Fatal(err)
		}
		out = p
		return err == nil
	})
	return out
}

func (b *bed) tryRelease(title string) (*changeset.Published, error) {
	ctx := b.Context()
	set, err := changeset.Create(ctx, b.Pool, b.Actor, b.ID, changeset.NewChangeSet{Title: title})
	if err != nil {
		return nil, err
	}
	_, err = entry.Create(ctx, b.Pool, b.Actor, b.ID, "posts", entrytest.Write(set, fmt.Sprintf(`{"title":%q}`, title)))
	if err != nil {
		return nil, err
	}
	return b.TryPublish(set)
}

func (b *bed) newProject(slug string) (log string) {
	b.Helper()
	organization := ""
	b.OK(b.Pool.QueryRow(b.Context(), `SELECT id FROM organization`).Scan(&organization))
	p, err := project.Create(b.Context(), b.Pool, b.Actor, content.OrganizationID(organization), project.NewProject{Slug: slug})
	b.OK(err)
	return string(p.ID)
}

func (b *bed) onStream(log string) bool {
	conn, err := stream.Connect(b.cfg.Stream, b.logger())
	b.OK(err)
	defer conn.Close()
	b.until("connected", conn.Connected)
	_, found, err := conn.Last(b.Context(), log)
	return err == nil && found
}

// head is where the project's log is in the database.
func (b *bed) head() record.Position {
	b.Helper()
	var head record.Position
	b.until("the database answers", func() (ok bool) {
		var err error
		head, err = changelog.Head(b.Context(), b.Pool, string(b.ID))
		return err == nil
	})
	return head
}

// level waits until an edge holds what the database holds.
func (b *bed) level(store *followtest.Store) {
	b.Helper()
	b.until("the edge is level", func() bool {
		at, want, err := b.source.StateHash(b.Context(), string(b.ID))
		if err != nil || store.At(string(b.ID)) != at {
			return false
		}
		got, held, err := store.StateHash(b.Context(), string(b.ID))
		return err == nil && held && got == want
	})
}

// numbers returns the releases of an edge.
func (b *bed) numbers(store *followtest.Store) (numbers []uint64) {
	if state := store.State(string(b.ID)); state != nil {
		for _, r := range state.Releases {
			numbers = append(numbers, r.Number)
		}
	}
	return numbers
}

func (b *bed) until(what string, ok func() bool) {
	b.Helper()
	deadline := time.Now().Add(3 * time.Minute)
	for !ok() {
		if time.Now().After(deadline) {
			b.Fatalf("waited in vain until %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// lines collects what is logged.
type lines struct {
	mu  sync.Mutex
	all strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *lines) count(part string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.all.String(), part)
}
