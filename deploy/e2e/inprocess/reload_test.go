package inprocess

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"svc/bench/node"
	"svc/deploy/local/localtest"
	"svc/edge/limit"
	"svc/edge/server"
	"svc/edge/store"
	"svc/replication/follow/followtest"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/read"
	"svc/shared/testrand"
)

// reloads is how often the project is loaded again.
var reloads = localtest.Size(50, manyReloads)

const (
	// manyReloads is how many it takes until loads are let go on disk as fast as they come.
	manyReloads   = 1_000
	reloadEntries = 300
	reloadReaders = 3
	slowClients   = 8
	slowSteps     = 6       // reloads that pass while a slow client takes its answer
	slowBuffer    = 8 << 10 // bytes on their way to a slow client
	reloadPage    = 100
	// reloadSlack is how many times the content may wait on disk to be let go, more or less: twenty loads, with what they are
	// found by and the logs they were written to.
	reloadSlack = 60
	// keptLogs is how many times the content the logs hold that Pebble keeps to write into again: six, of two loads each.
	keptLogs = 60
)

// TestReloadsMixNothing: a project is loaded again many times, each time with other content, while readers read lists of
// it and slow clients take theirs over many reloads. Every answer is of one load alone, whole, and no older than what the
// edge had loaded when it was asked. What the loads leave behind does not pile up on disk.
func TestReloadsMixNothing(t *testing.T) {
	t.Parallel()
	r := newReloading(t)
	r.load(1)
	var readers sync.WaitGroup
	for i := range reloadReaders {
		readers.Go(func() { r.read(i == 0) })
	}
	for i := range slowClients {
		readers.Go(func() { r.readSlowly(i) })
	}
	n := uint64(reloads)
	var early, late int64 // the most on disk in the first and the last fifth
	began := time.Now()
	for edition := uint64(2); edition <= n && !t.Failed(); edition++ {
		if edition%10 == 0 {
			r.loadHalf(edition)
		}
		r.load(edition)
		tables, logs := diskUsage(t, r.dir)
		switch size := tables + logs; {
		case edition < n/5:
			early = max(early, size)
		case edition > n-n/5:
			late = max(late, size)
		}
	}
	t.Logf("%d reloads in %s; %d lists were read meanwhile, %d of them slowly; at most %d MB on disk in the beginning, %d MB at the end",
		n, time.Since(began).Round(time.Millisecond), r.lists.Load(), r.slow.Load(), early>>20, late>>20)
	r.over()
	readers.Wait()
	if most := early + reloadSlack*r.size; late > most && reloads >= manyReloads {
		t.Errorf("the disk grows with reloads: at most %d bytes in the first fifth of them, %d in the last, for %d bytes of content", early, late, r.size)
	}
	if r.lists.Load() < int64(n) || r.slow.Load() < int64(min(n/slowSteps/4, slowClients)) {
		t.Errorf("%d lists and %d slow ones are too few to tell anything", r.lists.Load(), r.slow.Load())
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := node.Until(ctx, func(context.Context) error {
		tables, logs := diskUsage(t, r.dir)
		if tables > 6*r.size || logs > keptLogs*r.size {
			return fmt.Errorf("%d bytes are on disk, and %d in logs, for %d bytes of content", tables, logs, r.size)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// reloading is an edge's store behind its server, without a follower: the test loads.
type reloading struct {
	t       *testing.T
	dir     string
	store   *store.Store
	url     string
	slowURL string // where the kernel takes little of an answer that its client does not take
	project string
	entries []string
	prose   []string // of the entries; it cannot be compressed
	size    int64    // of the content, in bytes

	loaded  atomic.Uint64 // the edition loaded last
	lists   atomic.Int64
	slow    atomic.Int64
	mu      sync.Mutex
	changed chan struct{} // closed at the next load
	ended   context.Context
	over    context.CancelFunc
}

func newReloading(t *testing.T) *reloading {
	t.Helper()
	logger := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	r := &reloading{t: t, dir: t.TempDir(), project: string(content.NewID[content.ProjectID]()), changed: make(chan struct{})}
	r.ended, r.over = context.WithCancel(t.Context())
	random := testrand.New(t)
	for range reloadEntries {
		r.entries = append(r.entries, string(content.NewID[content.EntryID]()))
		prose := make([]byte, 2800)
		for i := range prose {
			prose[i] = byte(random.Uint32())
		}
		r.prose = append(r.prose, base64.StdEncoding.EncodeToString(prose))
	}
	var err error
	if r.store, err = store.New(store.Config{Dir: r.dir, Logger: logger}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.store.Close(); err != nil {
			t.Error(err)
		}
	})
	r.url = r.serve(logger, func(l net.Listener) net.Listener { return l })
	r.slowURL = r.serve(logger, func(l net.Listener) net.Listener { return smallBuffers{l} })
	return r
}

// serve starts a server on the store and returns its address.
func (r *reloading) serve(logger *slog.Logger, over func(net.Listener) net.Listener) string {
	r.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.t.Fatal(err)
	}
	s := server.New(server.Config{
		Engine:  &read.Engine{Store: r.store, Keys: r.store, Now: time.Now},
		Limiter: limit.New(limit.Policy{Name: "reads", Rate: 1e6, Burst: 1e6}, nil),
		Resolve: r.store.Resolve, Status: steady{}, Logger: logger, Pace: server.Pace{Drain: time.Millisecond, Caller: time.Hour}, // a reload may take long
	})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, over(l)) }()
	r.t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			r.t.Error(err)
		}
	})
	return "http://" + l.Addr().String()
}

// steady is an edge that is well.
type steady struct{}

func (steady) Stale() (time.Duration, bool) { return 0, false }
func (steady) Unready() []string            { return nil }

// smallBuffers keeps an answer from being taken by the kernel while its client is slow.
type smallBuffers struct{ net.Listener }

func (l smallBuffers) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return c, c.(*net.TCPConn).SetWriteBuffer(slowBuffer)
}

// bodies are a snapshot in which every entry tells its edition.
func (r *reloading) bodies(edition uint64) []proto.Message {
	first, second := followtest.Release(1), followtest.Release(2)
	for i, entry := range r.entries {
		fields := fmt.Sprintf(`{"title":"of edition %d.","slug":"post-%d","body":"%d %s"}`, edition, i, edition, r.prose[i])
		first.Items = append(first.Items, followtest.Put(entry, fmt.Sprintf("post-%d", i), fields))
		if i%3 == 0 {
			second.Items = append(second.Items, followtest.Put(entry, fmt.Sprintf("post-%d", i), fields))
		}
	}
	return []proto.Message{followtest.Project(r.project, string(content.NewID[content.OrganizationID]()), 1), followtest.Schema("posts", 1, 1), first, second}
}

func kindOf(body proto.Message) record.Kind {
	switch body.(type) {
	case *recordpb.Project:
		return record.KindProject
	case *recordpb.Schema:
		return record.KindSchema
	}
	return record.KindRelease
}

// load replaces what is served by an edition.
func (r *reloading) load(edition uint64) {
	r.t.Helper()
	loader, err := r.store.Load(r.t.Context(), r.project)
	if err != nil {
		r.t.Fatal(err)
	}
	r.size = 0
	for _, body := range r.bodies(edition) {
		if err := loader.Add(r.t.Context(), kindOf(body), body); err != nil {
			r.t.Fatal(err)
		}
		r.size += int64(proto.Size(body))
	}
	at := record.Position{Epoch: edition, Seq: 4}
	at.Chain[0], at.Chain[1] = byte(edition), byte(edition>>8)
	if err := loader.Commit(r.t.Context(), at); err != nil {
		r.t.Fatal(err)
	}
	r.loaded.Store(edition)
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.changed)
	r.changed = make(chan struct{})
}

// loadHalf begins to load an edition, and gives it up.
func (r *reloading) loadHalf(edition uint64) {
	r.t.Helper()
	loader, err := r.store.Load(r.t.Context(), r.project)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, body := range r.bodies(edition)[:3] {
		if err := loader.Add(r.t.Context(), kindOf(body), body); err != nil {
			r.t.Fatal(err)
		}
	}
	if err := loader.Abort(); err != nil {
		r.t.Fatal(err)
	}
}

// nextLoad waits for the next load; false where none comes any more.
func (r *reloading) nextLoad() bool {
	r.mu.Lock()
	changed := r.changed
	r.mu.Unlock()
	select {
	case <-changed:
		return true
	case <-r.ended.Done():
		return false
	}
}

// check takes a list apart: all of it is of one edition, of the one that was loaded before it was asked for or a later one.
func (r *reloading) check(how string, body []byte, before uint64) bool {
	const mark = `"title":"of edition `
	_, rest, found := bytes.Cut(body, []byte(mark))
	text, _, _ := bytes.Cut(rest, []byte("."))
	edition, err := strconv.ParseUint(string(text), 10, 64)
	if !found || err != nil {
		r.t.Errorf("%s: no list but %.200s", how, body)
		return false
	}
	all, same := bytes.Count(body, []byte(mark)), bytes.Count(body, fmt.Appendf(nil, `%s%d."`, mark, edition))
	bodies := bytes.Count(body, fmt.Appendf(nil, `"body":"%d `, edition))
	switch {
	case all != reloadPage || same != all || bodies != all:
		r.t.Errorf("%s: of %d rows %d have the title and %d the body of edition %d: the answer mixes loads", how, all, same, bodies, edition)
	case edition < before:
		r.t.Errorf("%s: edition %d is answered, after %d was loaded", how, edition, before)
	default:
		return true
	}
	return false
}

func (r *reloading) path(pin int) string {
	path := node.List(r.project, "posts") + "?limit=" + strconv.Itoa(reloadPage)
	if pin > 0 {
		path += "&at=release-" + strconv.Itoa(pin)
	}
	return path
}

// read reads lists at the head and at a release, as fast as they come or a few after each load.
func (r *reloading) read(always bool) {
	n := node.Node{Name: "edge", URL: r.url}
	for i := 0; r.ended.Err() == nil; i++ {
		if !always && i%2 == 0 {
			r.nextLoad()
		}
		before := r.loaded.Load()
		answer, err := n.Get(context.Background(), r.path(i%2))
		if err != nil || answer.Status != http.StatusOK {
			r.t.Errorf("a list: %s, %v", answer, err)
			return
		}
		if !r.check("a list", answer.Body, before) {
			return
		}
		r.lists.Add(1)
	}
}

// readSlowly takes lists piece by piece, one at each reload.
func (r *reloading) readSlowly(i int) {
	for r.ended.Err() == nil {
		before := r.loaded.Load()
		body, err := r.takeSlowly(r.path(i % 2))
		if err != nil {
			r.t.Errorf("a list that is taken slowly: %v", err)
			return
		}
		if !r.check("a list that is taken slowly", body, before) {
			return
		}
		r.slow.Add(1)
	}
}

func (r *reloading) takeSlowly(path string) ([]byte, error) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.slowURL, "http://"))
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := conn.(*net.TCPConn).SetReadBuffer(slowBuffer); err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: edge\r\nConnection: close\r\n\r\n", path); err != nil {
		return nil, err
	}
	response, err := http.ReadResponse(bufio.NewReaderSize(conn, 1<<10), nil)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK || response.ContentLength <= 0 {
		body, err := io.ReadAll(io.LimitReader(response.Body, 300))
		return nil, fmt.Errorf("answered with %d and %d bytes, %v: %s", response.StatusCode, response.ContentLength, err, body)
	}
	piece := response.ContentLength/slowSteps + 1
	var body bytes.Buffer
	for range slowSteps {
		r.nextLoad()
		if _, err := io.CopyN(&body, response.Body, piece); err != nil && err != io.EOF {
			return nil, err
		}
	}
	if int64(body.Len()) != response.ContentLength {
		return nil, fmt.Errorf("%d of %d bytes came", body.Len(), response.ContentLength)
	}
	return body.Bytes(), nil
}

// diskUsage adds up the files of a database, which come and go meanwhile: its logs, and all others.
func diskUsage(t *testing.T, dir string) (others, logs int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		switch info, err := d.Info(); {
		case err != nil: // it went
		case filepath.Ext(d.Name()) == ".log":
			logs += info.Size()
		default:
			others += info.Size()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return others, logs
}
