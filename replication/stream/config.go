package stream

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// Names on the server.
const (
	// StreamName is the stream that holds all logs.
	StreamName = "SVC_LOG"
	// BucketName is the key-value bucket of the edges' reports.
	BucketName = "SVC_EDGES"
	// UsageBucketName is the key-value bucket of usage statements.
	UsageBucketName = "SVC_USAGE"

	logSubjects      = "svc.log."
	heartbeatSubject = "svc.heartbeat"
)

// UsageTTL is how long a usage statement is kept for cores to read.
const UsageTTL = 7 * 24 * time.Hour

// Config says which server to use and how the stream is kept there.
type Config struct {
	// URL is nats://[user:password@|token@]host:port, several separated by commas.
	URL string `env:"SVC_NATS_URL"`
	// Name tells this client apart in the server's lists.
	Name string
	// Replicas of the stream and the bucket, 1, 3 or 5.
	Replicas int `env:"SVC_NATS_REPLICAS" envDefault:"1"`
	// KeepPerLog is how many messages of a log the stream keeps; 0 keeps all.
	KeepPerLog int64 `env:"SVC_NATS_KEEP_PER_LOG" envDefault:"1000"`
	// KeepFor is how long the stream keeps a message; 0 is for ever.
	KeepFor time.Duration `env:"SVC_NATS_KEEP_FOR" envDefault:"0"`
	// KeepBytes bounds the whole stream; 0 does not.
	KeepBytes int64 `env:"SVC_NATS_KEEP_BYTES" envDefault:"0"`
	// ReportTTL is how long an edge is remembered after its last report.
	ReportTTL time.Duration `env:"SVC_NATS_REPORT_TTL" envDefault:"30s"`
}

// withDefaults fills in what a Config built in code left out.
func (c Config) withDefaults() Config {
	c.Replicas, c.ReportTTL = cmp.Or(c.Replicas, 1), cmp.Or(c.ReportTTL, 30*time.Second)
	return c
}

// Validate reports every fault at once.
func (c Config) Validate() error {
	var faults []error
	if u, err := url.Parse(c.URL); err != nil || u.Host == "" {
		faults = append(faults, errors.New("SVC_NATS_URL: must be like nats://host:4222"))
	}
	if c.Replicas != 0 && c.Replicas != 1 && c.Replicas != 3 && c.Replicas != 5 {
		faults = append(faults, fmt.Errorf("SVC_NATS_REPLICAS: %d must be 1, 3 or 5", c.Replicas))
	}
	if c.KeepPerLog < 0 || c.KeepFor < 0 || c.KeepBytes < 0 {
		faults = append(faults, errors.New("SVC_NATS_KEEP_PER_LOG, SVC_NATS_KEEP_FOR and SVC_NATS_KEEP_BYTES: must not be negative"))
	}
	if c.ReportTTL < 0 || c.ReportTTL > 0 && c.ReportTTL < time.Second {
		faults = append(faults, fmt.Errorf("SVC_NATS_REPORT_TTL: %s must be at least 1s", c.ReportTTL))
	}
	return errors.Join(faults...)
}
