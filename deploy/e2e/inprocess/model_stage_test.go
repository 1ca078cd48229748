package inprocess

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core"
	"svc/core/access"
	"svc/core/account"
	"svc/core/changelog"
	"svc/core/client"
	"svc/core/postgres/postgrestest"
	"svc/core/preview"
	"svc/core/wire"
	"svc/deploy/e2e/retry"
	"svc/deploy/local"
	"svc/deploy/local/localtest"
	"svc/replication/stream"
	"svc/shared/blob"
	"svc/shared/read"
	"svc/shared/telemetry"
)

// patience is how long anything may take that is waited for.
const patience = 5 * time.Minute

// modelSecret is what the cores and edges of a stage share.
const modelSecret = "a cluster secret that only this test has"

// stage is a deployment inside the test's process, on which sequences are played: a database, a stream, a bucket and two
// cores. The edges belong to the sequences.
type stage struct {
	pool   *pgxpool.Pool
	source *changelog.Source
	stream string
	blobs  blob.Store
	cores  []*stagedCore
	// engine answers public reads as core does.
	engine *read.Engine
	tally  tally
}

// tally is how often what was done.
type tally struct {
	mu sync.Mutex
	of map[string]int
}

func (t *tally) count(what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of[what]++
}

// What is counted apart from what players do.
const (
	whole = "(sequences)"
	loads = "(snapshots loaded)"
)

// judge tells what was done, and where very many were played, that everything was.
func (t *tally) judge(test *testing.T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	test.Log(t.of)
	if t.of[whole] < max(sequences, allActs) {
		return // a part was asked for, or one failed
	}
	wanted := []string{loads, comesBack, fieldsComeBack}
	for _, act := range acts(nil) {
		wanted = append(wanted, act.name)
	}
	for _, a := range alterations {
		wanted = append(wanted, a.name)
	}
	for _, name := range wanted {
		if t.of[name] == 0 {
			test.Errorf("no one ever did %q", name)
		}
	}
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{pool: postgrestest.Open(t), stream: localtest.StartNATS(t).URL, tally: tally{of: map[string]int{}}}
	s.source = changelog.NewSource(s.pool, nil, slog.New(slog.DiscardHandler))
	s.engine = &read.Engine{Store: preview.New(s.pool, 0), Keys: preview.Keys{Pool: s.pool}, Now: time.Now, LocalOrigins: true}
	bucket := localtest.S3(t)
	cfg := core.Config{
		DatabaseURL: s.pool.Config().ConnString(), ClusterSecret: modelSecret,
		Stream: stream.Config{URL: s.stream},
		Blob: blob.Config{Endpoint: bucket.Endpoint, Region: bucket.Region, Bucket: bucket.Name,
			AccessKey: bucket.AccessKey, SecretKey: bucket.SecretKey, Connect: 5 * time.Second, Stall: 10 * time.Second},
		Telemetry: telemetry.Config{LogLevel: "info", LogFormat: "text"},
	}
	blobs, err := blob.OpenS3(cfg.Blob)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(blobs.Close)
	s.blobs = blobs
	for range 2 {
		c := &stagedCore{cfg: cfg}
		if err := c.listen(); err != nil {
			t.Fatal(err)
		}
		if err := c.start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := c.end(); err != nil {
				t.Error(err)
			}
		})
		s.cores = append(s.cores, c)
	}
	return s
}

// editor makes an organization with a key that may do everything, and a project in it.
func (s *stage) editor(ctx context.Context, random *rand.Rand) (*editor, error) {
	slug := fmt.Sprintf("model-%x", random.Uint64())
	founded, err := account.CreateOrganization(ctx, s.pool, access.System(), account.NewOrganization{Slug: slug}, "model")
	if err != nil {
		return nil, err
	}
	e := &editor{stage: s, random: random, token: founded.Secret}
	return e, e.do(ctx, func(c *client.Client) (err error) {
		e.project, err = c.CreateProject(ctx, string(founded.Organization.ID), "Model", slug)
		return err
	})
}

// stagedCore is a core that sequences restart. A call keeps it from ending meanwhile.
type stagedCore struct {
	cfg    core.Config
	http   *http.Client
	mu     sync.RWMutex
	core   *core.Core
	cancel context.CancelFunc
	ended  chan error
}

func (c *stagedCore) url() string { return "http://" + c.cfg.Listen }

// listen gives it an address to which it can come back.
func (c *stagedCore) listen() error {
	l, err := local.Listen("")
	if err != nil {
		return err
	}
	c.cfg.Listen = l.Addr().String()
	return l.Close()
}

// start runs it, again at the same address.
func (c *stagedCore) start() (err error) {
	ctx, cancel := context.WithCancel(context.Background())
	running, err := core.New(ctx, c.cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		cancel()
		return fmt.Errorf("start a core: %w", err)
	}
	c.core, c.cancel, c.ended = running, cancel, make(chan error, 1)
	c.http = &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	ended := c.ended
	go func() { ended <- running.Run(ctx) }()
	return nil
}

func (c *stagedCore) end() error {
	c.http.CloseIdleConnections()
	c.cancel()
	err := <-c.ended
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, c.core.Close())
}

func (c *stagedCore) restart() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return errors.Join(c.end(), c.start())
}

// editor calls the API, now of one core and now of the other.
type editor struct {
	*stage
	random  *rand.Rand
	project wire.Project
	token   string
}

// do calls a core.
func (e *editor) do(ctx context.Context, call func(c *client.Client) error) error {
	return e.at(ctx, func(at *stagedCore) error { return call(client.New(at.url(), e.token, at.http)) })
}

// at does something with a core that stays meanwhile. Right after a start no core publishes before it has compared its
// database with what others saw of it, so it may have to be asked again.
func (e *editor) at(ctx context.Context, do func(*stagedCore) error) error {
	at := e.cores[e.random.IntN(len(e.cores))]
	return retry.Until(ctx, func() error {
		at.mu.RLock()
		defer at.mu.RUnlock()
		err := do(at)
		if err != nil && !errors.As(err, new(*client.Error)) {
			return retry.Final{Err: err} // the core is there, and answers
		}
		return err
	})
}
