package follow_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"svc/deploy/local/localtest"
	"svc/replication/follow"
	"svc/replication/follow/followtest"
	"svc/replication/record"
	"svc/replication/stream"
	"svc/shared/blob/blobtest"
	"svc/shared/content"
	"svc/shared/telemetry"
)

// patience is how long anything may take that is waited for.
const patience = 2 * time.Minute

// rig is a core in memory, a real stream between, and what a follower needs.
type rig struct {
	t       *testing.T
	nats    *localtest.Server
	conn    *stream.Conn // core's
	blobs   *blobtest.Memory
	core    *followtest.Core
	answers *followtest.Answers
	sent    map[string]int // changes of each log that relay has looked at
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, nats: localtest.StartNATS(t), blobs: &blobtest.Memory{}, core: followtest.NewCore(), sent: map[string]int{}}
	r.answers = &followtest.Answers{Core: r.core, Blobs: r.blobs}
	r.conn = r.connect("core")
	r.ensure()
	return r
}

func (r *rig) connect(name string) *stream.Conn {
	r.t.Helper()
	conn, err := stream.Connect(stream.Config{URL: r.nats.URL, Name: name}, r.logger())
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(conn.Close)
	return conn
}

func (r *rig) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(r.t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (r *rig) ensure() {
	r.t.Helper()
	r.until("there is a stream", func() bool { return r.conn.Ensure(r.t.Context()) == nil })
}

// jetstream is the server's own interface, for what only an operator or a fault does.
func (r *rig) jetstream() jetstream.JetStream {
	r.t.Helper()
	nc, err := nats.Connect(r.nats.URL)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		r.t.Fatal(err)
	}
	return js
}

// quick is tuned for tests: nothing waits long.
func quick() follow.Tuning {
	return follow.Tuning{
		Grace: 100 * time.Millisecond, Silence: time.Minute, Patience: 20 * time.Second, Jitter: 10 * time.Millisecond,
		Retry: 20 * time.Millisecond, LongestRetry: 200 * time.Millisecond, Report: 50 * time.Millisecond,
	}
}

// running is a follower at work.
type running struct {
	*follow.Follower
	r       *rig
	store   *followtest.Store
	alarms  *telemetry.Alarms
	figures *prometheus.Registry
	stop    func()
}

// figure is the value of a counter or gauge with at most one label.
func (f *running) figure(name, label string) float64 {
	f.r.t.Helper()
	families, err := f.figures.Gather()
	if err != nil {
		f.r.t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if family.GetName() != name || label != "" && m.GetLabel()[0].GetValue() != label {
				continue
			}
			return m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	f.r.t.Fatalf("there is no figure %s of %q", name, label)
	return 0
}

// follow runs a follower on a store until the test ends or stop is called.
func (r *rig) follow(store *followtest.Store, tuning follow.Tuning) *running {
	r.t.Helper()
	quiet := []goleak.Option{goleak.IgnoreCurrent()}
	for _, other := range []string{ // core's connection and the server come and go as the test wants
		"github.com/nats-io/nats%2ego.(*Conn).readLoop", "github.com/nats-io/nats%2ego.(*Conn).flusher",
		"github.com/nats-io/nats%2ego.(*Conn).doReconnect", "github.com/nats-io/nats%2ego.(*Conn).waitForMsgs",
		"svc/deploy/local.(*runner).supervise", "svc/deploy/local/process.(*Process).run",
	} {
		quiet = append(quiet, goleak.IgnoreAnyFunction(other))
	}
	conn := r.connect("edge")
	r.until("the edge is connected", conn.Connected)
	figures := prometheus.NewRegistry()
	alarms := telemetry.NewAlarms(telemetry.EdgeAlarms(), figures, r.logger())
	f := follow.New(follow.Config{
		Edge: "edge-1", Build: "test", Applier: store, Stream: conn, Core: r.answers, Blobs: r.blobs,
		Logger: r.logger(), Metrics: follow.NewMetrics(figures), Alarms: alarms, Tuning: tuning,
	})
	ctx, cancel := context.WithCancel(r.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	stop := sync.OnceFunc(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			r.t.Errorf("the follower ended with %v", err)
		}
		conn.Close()
		leak := goleak.Find(quiet...)
		for over := time.Now().Add(patience); leak != nil && time.Now().Before(over); {
			leak = goleak.Find(quiet...) // others end at the same time
		}
		if leak != nil {
			r.t.Error(leak)
		}
	})
	r.t.Cleanup(stop)
	return &running{Follower: f, r: r, store: store, alarms: alarms, figures: figures, stop: stop}
}

func (r *rig) until(what string, ok func() bool) {
	r.t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			r.t.Fatalf("waited in vain until %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// project makes a project with a schema, and returns its log.
func (r *rig) project() string {
	id := string(content.NewID[content.ProjectID]())
	r.core.Append(id, followtest.Project(id, string(content.NewID[content.OrganizationID]()), 1))
	r.core.Append(id, followtest.Schema("posts", 1, 1))
	return id
}

func (r *rig) organization() string {
	id := string(content.NewID[content.OrganizationID]())
	r.core.Append(id, followtest.Organization(id))
	return id
}

// publish makes n releases of one entry each.
func (r *rig) publish(log string, n int) {
	for range n {
		number := uint64(1)
		for _, c := range r.core.Changes(log) {
			if c.Kind == record.KindRelease {
				number++
			}
		}
		entry := followtest.Entry()
		r.core.Append(log, followtest.Release(number, followtest.Put(entry, "slug-"+entry[4:], `{"title":"x"}`)))
	}
}

// relay sends what was not sent before.
func (r *rig) relay(log string) {
	r.t.Helper()
	changes := r.core.Changes(log)
	if err := followtest.Send(r.t.Context(), r.conn, r.blobs, changes[min(r.sent[log], len(changes)):]...); err != nil {
		r.t.Fatal(err)
	}
	r.sent[log] = len(changes)
}

// lose has the relay pass over what was not sent before.
func (r *rig) lose(log string) { r.sent[log] = len(r.core.Changes(log)) }

// beat sends a heartbeat with all heads.
func (r *rig) beat(settled time.Time) {
	r.t.Helper()
	data, err := (&record.Heartbeat{Core: "core-1", Settled: settled, Heads: r.core.Heads()}).Encode()
	if err == nil {
		err = r.conn.Beat(data)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// level waits until the store is where core is in a log, with the same state.
func (f *running) level(logs ...string) {
	f.r.t.Helper()
	for _, log := range logs {
		f.r.until("log "+log+" is level", func() bool { return f.store.At(log) == f.r.core.Head(log) })
		if got, want := f.store.State(log).Sum(), f.r.core.Sum(log); got != want {
			f.r.t.Fatalf("state of %s: %s, core has %s", log, got, want)
		}
	}
}

// alarmed waits until an alarm of a log is the only one on; none where the kind is empty.
func (f *running) alarmed(kind telemetry.AlarmKind, log string) {
	f.r.t.Helper()
	f.r.until(fmt.Sprintf("the alarms are %q of %q", kind, log), func() bool {
		list := f.alarms.List()
		if kind == "" {
			return len(list) == 0
		}
		return len(list) == 1 && list[0].Kind == kind && list[0].Subject == log
	})
}

func (f *running) ready() {
	f.r.t.Helper()
	f.r.until("the follower is ready", func() bool { ok, _ := f.Ready(); return ok })
}

// loads is how many snapshots of a log were loaded.
func (f *running) loads(log string) int {
	_, loads := f.store.Applied()
	return loads[log]
}

func rank(n string) proto.Message { return followtest.Rank(followtest.Entry(), n) }
