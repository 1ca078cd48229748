package edge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"svc/deploy/local/localtest"
	"svc/replication/follow"
	"svc/replication/follow/followtest"
	"svc/replication/record"
	"svc/replication/stream"
	"svc/shared/blob"
	"svc/shared/problem"
	"svc/shared/telemetry"
)

const (
	clusterSecret = "a secret that all nodes of a test share"
	patience      = 3 * time.Minute
)

// core is a core in memory behind core's own routes, with a real stream, Redis and object store beside it.
type core struct {
	t       *testing.T
	nats    *localtest.Server
	redis   *localtest.Server
	blobs   blob.Config
	conn    *stream.Conn
	logs    *followtest.Core
	answers *followtest.Answers
	address string
	server  *http.Server

	mu      sync.Mutex
	refuses bool // whether changes are refused
}

func startCore(t *testing.T) *core {
	t.Helper()
	bucket := localtest.S3(t)
	c := &core{
		t: t, nats: localtest.StartNATS(t), redis: localtest.StartRedis(t), logs: followtest.NewCore(),
		blobs: blob.Config{
			Endpoint: bucket.Endpoint, Region: bucket.Region, Bucket: bucket.Name, AccessKey: bucket.AccessKey,
			SecretKey: bucket.SecretKey, Connect: 2 * time.Second, Stall: 20 * time.Second,
		},
	}
	store, err := blob.OpenS3(c.blobs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	c.answers = &followtest.Answers{Core: c.logs, Blobs: store}
	if c.conn, err = stream.Connect(stream.Config{URL: c.nats.URL, Name: "core"}, discard()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.conn.Close)
	until(t, "there is a stream", func() error { return c.conn.Ensure(t.Context()) })
	c.start()
	t.Cleanup(c.stop)
	go c.beat()
	return c
}

// start opens core's door, at the address it had before.
func (c *core) start() {
	c.t.Helper()
	l := localtest.Listen(c.t, c.address)
	c.address = l.Addr().String()
	c.server = &http.Server{Handler: c.routes()}
	go func(s *http.Server) { _ = s.Serve(l) }(c.server)
}

func (c *core) stop() { _ = c.server.Close() }

// beat sends heartbeats for as long as the test runs; without a stream they go nowhere.
func (c *core) beat() {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for c.t.Context().Err() == nil {
		data, err := (&record.Heartbeat{Core: "core-1", Settled: time.Now(), Heads: c.logs.Heads()}).Encode()
		if err == nil && c.conn.Connected() {
			_ = c.conn.Beat(data)
		}
		<-tick.C
	}
}

// publish appends to logs and sends what was appended.
func (c *core) relay(changes ...*record.Change) {
	c.t.Helper()
	until(c.t, "the stream takes changes", func() error {
		return followtest.Send(c.t.Context(), c.conn, c.answers.Blobs, changes...)
	})
}

func (c *core) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /internal/v1/logs", c.heads)
	mux.HandleFunc("GET /internal/v1/logs/{log}/changes", c.changes)
	mux.HandleFunc("POST /internal/v1/logs/{log}/snapshot", c.snapshot)
	mux.HandleFunc("GET /internal/v1/keys/{id}", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNotFound) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Core", r.Method+" "+r.RequestURI)
		w.WriteHeader(http.StatusTeapot)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/internal/") && r.Header.Get("Authorization") != "Bearer "+clusterSecret {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (c *core) heads(w http.ResponseWriter, r *http.Request) {
	type head struct {
		Log      string `json:"log"`
		Position string `json:"position"`
	}
	var answer struct {
		Logs []head `json:"logs"`
	}
	for _, h := range c.logs.Heads() {
		answer.Logs = append(answer.Logs, head{h.Log, h.Position.String()})
	}
	c.write(w, answer)
}

func (c *core) changes(w http.ResponseWriter, r *http.Request) {
	if c.refusing() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	after, err := record.ParsePosition(r.URL.Query().Get("after"))
	if err != nil {
		c.fail(w, err)
		return
	}
	var frames bytes.Buffer
	head, err := c.answers.Changes(r.Context(), r.PathValue("log"), after, record.Stamp{}, func(envelope []byte) error {
		return record.WriteFrame(&frames, envelope)
	})
	switch {
	case errors.Is(err, follow.ErrUnserved):
		w.WriteHeader(http.StatusConflict)
	case err != nil:
		c.fail(w, err)
	default:
		w.Header().Set("Svc-Head", head.String())
		_, _ = w.Write(frames.Bytes())
	}
}

func (c *core) snapshot(w http.ResponseWriter, r *http.Request) {
	beyond, err := record.ParsePosition(r.URL.Query().Get("beyond"))
	if err != nil {
		c.fail(w, err)
		return
	}
	ref, err := c.answers.Snapshot(r.Context(), r.PathValue("log"), beyond)
	if err != nil {
		c.fail(w, err)
		return
	}
	c.write(w, struct {
		Position string `json:"position"`
		Object   string `json:"object"`
		SHA256   []byte `json:"sha256"`
		Size     uint64 `json:"size"`
	}{ref.Position.String(), ref.Manifest.Key, ref.Manifest.Sha256, ref.Manifest.Size})
}

func (c *core) write(w http.ResponseWriter, answer any) {
	if err := json.MarshalWrite(w, answer); err != nil {
		c.t.Error(err)
	}
}

func (c *core) fail(w http.ResponseWriter, err error) {
	answer := problem.Render(err, "")
	w.WriteHeader(answer.Status)
	_, _ = w.Write(answer.Body)
}

// refuse makes core keep its changes to itself, or not.
func (c *core) refuse(does bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refuses = does
}

func (c *core) refusing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refuses
}

// config is that of an edge before this core.
func (c *core) config(dir string) Config {
	cfg := Config{
		Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0", ID: "edge-1", Dir: dir, CoreURL: "http://" + c.address, ClusterSecret: clusterSecret,
		Memory: 256 << 20, CredentialMaxAge: time.Minute, Blob: c.blobs,
		Telemetry: telemetry.Config{LogLevel: "info", LogFormat: "text"},
	}
	cfg.Stream.URL = c.nats.URL
	cfg.Limit.ReadRate, cfg.Limit.RedisURL = 1e6, c.redis.URL
	return cfg
}

// until waits until something works.
func until(t *testing.T, what string, works func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience, fmt.Errorf("not within %s: %s", patience, what))
	defer cancel()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		err := works()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%v: %v", context.Cause(ctx), err)
		case <-look.C:
		}
	}
}
