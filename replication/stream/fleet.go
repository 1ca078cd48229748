package stream

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Report is the last message of an edge, or of another program, that a bucket holds.
type Report struct {
	Key  string
	At   time.Time // the server's clock
	Data []byte
}

// Report replaces what is known of an edge; it is forgotten unless it is repeated (Config.ReportTTL). The id is made of
// lower-case letters, digits and hyphens.
func (c *Conn) Report(ctx context.Context, edge string, data []byte) error {
	return c.put(ctx, BucketName, edge, data)
}

// Reports returns what is known of every edge, by id.
func (c *Conn) Reports(ctx context.Context) (map[string]Report, error) { return c.all(ctx, BucketName) }

// StateUsage replaces the usage statement of this key. It is forgotten UsageTTL after its last repetition.
func (c *Conn) StateUsage(ctx context.Context, key string, data []byte) error {
	return c.put(ctx, UsageBucketName, key, data)
}

// UsageStatements returns the usage statements there are, by key.
func (c *Conn) UsageStatements(ctx context.Context) (map[string]Report, error) {
	return c.all(ctx, UsageBucketName)
}

func (c *Conn) put(ctx context.Context, bucket, key string, data []byte) error {
	kv, err := c.js.KeyValue(ctx, bucket)
	if err == nil {
		_, err = kv.Put(ctx, key, data)
	}
	if err != nil {
		return fmt.Errorf("put %s into %s: %w", key, bucket, mapError(err))
	}
	return nil
}

func (c *Conn) all(ctx context.Context, bucket string) (map[string]Report, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	kv, err := c.js.KeyValue(ctx, bucket)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", bucket, mapError(err))
	}
	watcher, err := kv.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", bucket, mapError(err))
	}
	reports := map[string]Report{}
	for {
		select {
		case entry := <-watcher.Updates():
			if entry == nil { // what there was has been sent
				if err := watcher.Stop(); err != nil {
					return nil, fmt.Errorf("read %s: %w", bucket, mapError(err))
				}
				return reports, nil
			}
			reports[entry.Key()] = Report{Key: entry.Key(), At: entry.Created(), Data: entry.Value()}
		case <-ctx.Done():
			return nil, fmt.Errorf("read %s: %w", bucket, mapError(ctx.Err()))
		}
	}
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
