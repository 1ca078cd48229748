// Package stream carries records from core to edges over NATS JetStream, and is the only package that uses NATS.
//
// The stream is transport, never truth: it may lose its tail, its head or everything, and readers verify what they get by the
// chains inside the records. One stream holds all logs, on one subject each. Beside it there are heartbeats, which are not
// stored, and the reports of edges, which expire.
package stream

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
)

const (
	dialTimeout    = 2 * time.Second
	requestTimeout = 5 * time.Second
	reconnectWait  = 200 * time.Millisecond
)

// Conn is a connection that keeps coming back until it is closed. While it is away every call fails at once or at its
// deadline; nothing is buffered to be sent later.
type Conn struct {
	cfg Config
	nc  *nats.Conn
	js  jetstream.JetStream
	log *slog.Logger

	mu       sync.Mutex
	watchers map[*watcher]struct{}
}

// Connect returns at once, whether the server is there or not. Only a malformed configuration is an error.
func Connect(cfg Config, log *slog.Logger) (*Conn, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	c := &Conn{cfg: cfg.withDefaults(), log: log, watchers: map[*watcher]struct{}{}}
	nc, err := nats.Connect(cfg.URL,
		nats.Name(cfg.Name),
		nats.Timeout(dialTimeout),
		nats.RetryOnFailedConnect(true),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(reconnectWait),
		nats.ReconnectJitter(reconnectWait/2, reconnectWait),
		nats.ReconnectBufSize(-1),
		nats.IgnoreAuthErrorAbort(),
		nats.PingInterval(5*time.Second),
		nats.MaxPingsOutstanding(2),
		nats.ConnectHandler(func(*nats.Conn) { c.notify(true) }),
		nats.ReconnectHandler(func(*nats.Conn) { c.notify(true) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil { // none where this program closed it
				c.log.Warn("stream connection lost", "error", err)
			}
			c.notify(false)
		}),
		nats.ErrorHandler(func(_ *nats.Conn, sub *nats.Subscription, err error) {
			subject := ""
			if sub != nil {
				subject = sub.Subject
			}
			c.log.Warn("stream connection", "subject", subject, "error", err)
		}),
	)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	c.nc = nc
	if c.js, err = jetstream.New(nc, jetstream.WithDefaultTimeout(requestTimeout)); err != nil {
		nc.Close()
		return nil, fmt.Errorf("open JetStream: %w", err)
	}
	return c, nil
}

// Connected reports whether the server can be reached now.
func (c *Conn) Connected() bool { return c.nc.IsConnected() }

// watcher is called when the state of the connection changes; connected is the state it was called with last.
type watcher struct {
	f         func(connected bool)
	connected bool
}

// Watch calls f with the state of the connection, first as it is now, then after every change until stop is called.
// Calls do not overlap, and f must not block.
func (c *Conn) Watch(f func(connected bool)) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := &watcher{f, c.nc.IsConnected()}
	c.watchers[w] = struct{}{}
	f(w.connected)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.watchers, w)
	}
}

// open asks the server for the stream.
func (c *Conn) open(ctx context.Context) (jetstream.Stream, error) {
	s, err := c.js.Stream(ctx, StreamName)
	if err != nil {
		return nil, fmt.Errorf("open stream %s: %w", StreamName, mapError(err))
	}
	return s, nil
}

func (c *Conn) notify(connected bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w := range c.watchers {
		if w.connected != connected {
			w.connected = connected
			w.f(connected)
		}
	}
}

// Close ends the connection and everything that runs over it.
func (c *Conn) Close() { c.nc.Close() }

// Register registers the figures of a connection.
func (c *Conn) Register(r prometheus.Registerer) {
	r.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "svc_stream_connected", Help: "1 while NATS can be reached, else 0.",
		}, func() float64 {
			if c.Connected() {
				return 1
			}
			return 0
		}),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "svc_stream_reconnects_total", Help: "Times that the connection to NATS came back.",
		}, func() float64 { return float64(c.nc.Stats().Reconnects) }),
	)
}
