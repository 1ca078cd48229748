package stream

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Report is what an edge last said of itself.
type Report struct {
	Edge string
	At   time.Time // the server's clock
	Data []byte
}

// Report replaces what is known of an edge; it is forgotten unless it is repeated (Config.ReportTTL). The id is made of
// lower-case letters, digits and hyphens.
func (c *Conn) Report(ctx context.Context, edge string, data []byte) error {
	kv, err := c.js.KeyValue(ctx, BucketName)
	if err == nil {
		_, err = kv.Put(ctx, edge, data)
	}
	if err != nil {
		return fmt.Errorf("report edge %s: %w", edge, mapError(err))
	}
	return nil
}

// Reports returns what is known of every edge, by id.
func (c *Conn) Reports(ctx context.Context) (map[string]Report, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	kv, err := c.js.KeyValue(ctx, BucketName)
	if err != nil {
		return nil, fmt.Errorf("read the reports of edges: %w", mapError(err))
	}
	watcher, err := kv.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, fmt.Errorf("read the reports of edges: %w", mapError(err))
	}
	reports := map[string]Report{}
	for {
		select {
		case entry := <-watcher.Updates():
			if entry == nil { // what there was has been sent
				return reports, stopWatching(watcher)
			}
			reports[entry.Key()] = Report{Edge: entry.Key(), At: entry.Created(), Data: entry.Value()}
		case <-ctx.Done():
			return nil, fmt.Errorf("read the reports of edges: %w", mapError(ctx.Err()))
		}
	}
}

func stopWatching(w jetstream.KeyWatcher) error {
	if err := w.Stop(); err != nil {
		return fmt.Errorf("read the reports of edges: %w", mapError(err))
	}
	return nil
}

// Beat sends a heartbeat to all that listen now.
func (c *Conn) Beat(heartbeat []byte) error {
	if err := c.nc.Publish(heartbeatSubject, heartbeat); err != nil {
		return fmt.Errorf("send a heartbeat: %w", mapError(err))
	}
	return nil
}

// Beats calls f with every heartbeat from now on, one at a time, until stop is called. It lasts over reconnects.
func (c *Conn) Beats(f func(heartbeat []byte)) (stop func(), err error) {
	sub, err := c.nc.Subscribe(heartbeatSubject, func(m *nats.Msg) { f(m.Data) })
	if err != nil {
		return nil, fmt.Errorf("listen to heartbeats: %w", mapError(err))
	}
	return func() {
		if err := sub.Unsubscribe(); err != nil {
			c.log.Debug("stop listening to heartbeats", "error", err)
		}
	}, nil
}
