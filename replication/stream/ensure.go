package stream

import (
	"cmp"
	"context"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// Ensure makes the stream and the buckets where they are missing, and brings their configuration up to
// date. Core does so; edges only use what there is.
func (c *Conn) Ensure(ctx context.Context) error {
	_, err := c.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:              StreamName,
		Description:       "Changes of projects and organizations, one subject per log",
		Subjects:          []string{logSubjects + "*"},
		Storage:           jetstream.FileStorage,
		Retention:         jetstream.LimitsPolicy,
		Discard:           jetstream.DiscardOld,
		Replicas:          c.cfg.Replicas,
		MaxMsgs:           -1,
		MaxBytes:          cmp.Or(c.cfg.KeepBytes, -1),
		MaxMsgsPerSubject: cmp.Or(c.cfg.KeepPerLog, -1),
		MaxAge:            c.cfg.KeepFor,
		// Single messages are never taken out. Purging stays allowed: it is repaired like any other loss.
		DenyDelete: true,
		// Direct reads may come from a replica that is behind; the relay needs the leader's answer.
		AllowDirect: false,
	})
	if err != nil {
		return fmt.Errorf("ensure stream %s: %w", StreamName, mapError(err))
	}
	_, err = c.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket:      BucketName,
		Description: "What each edge last reported",
		History:     1,
		TTL:         c.cfg.ReportTTL,
		Storage:     jetstream.MemoryStorage,
		Replicas:    c.cfg.Replicas,
	})
	if err != nil {
		return fmt.Errorf("ensure bucket %s: %w", BucketName, mapError(err))
	}
	_, err = c.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket:      UsageBucketName,
		Description: "What edges counted since they started",
		History:     1,
		TTL:         UsageTTL,
		Storage:     jetstream.FileStorage,
		Replicas:    c.cfg.Replicas,
	})
	if err != nil {
		return fmt.Errorf("ensure bucket %s: %w", UsageBucketName, mapError(err))
	}
	return nil
}
