package core

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/caarlos0/env/v11"

	"svc/replication/record"
	"svc/replication/stream"
	"svc/shared/blob"
	"svc/shared/telemetry"
)

// Config is the environment of core.
type Config struct {
	Listen string `env:"SVC_CORE_LISTEN" envDefault:"127.0.0.1:7400"`
	// AdminListen is where operators find /metrics; empty is nowhere.
	AdminListen   string `env:"SVC_CORE_ADMIN_LISTEN"`
	DatabaseURL   string `env:"SVC_DATABASE_URL"`
	ClusterSecret string `env:"SVC_CLUSTER_SECRET"`
	// Now is the clock by which this core tells whether a key has expired; time.Now where nil. All that is written, release
	// times above all, goes by the database's clock.
	Now func() time.Time `env:"-"`
	// AssetURL is where assets are delivered from: the public address of the edges.
	AssetURL string `env:"SVC_ASSET_URL"`
	// Drain is how long a core that is told to stop goes on taking requests while it says that it is not ready: as long as
	// whatever spreads requests over cores takes to see it, and no less than the 2 s after which edges let go of idle
	// connections.
	Drain time.Duration `env:"SVC_CORE_DRAIN" envDefault:"0s"`
	// AnswerMemory bounds the bytes of large answers that callers have not taken yet. Beyond it those who have been taking
	// theirs longest are cut off, and others get 503.
	AnswerMemory int64 `env:"SVC_CORE_ANSWER_MEMORY" envDefault:"268435456"`
	// Memory is how many bytes the process is kept to where it can: the collector works the harder the nearer it is. Work
	// that needs more gets it, more slowly. A smaller GOMEMLIMIT goes before.
	Memory int64 `env:"SVC_CORE_MEMORY" envDefault:"536870912"`
	// Production refuses what only a developer's machine should allow, such as reads from any localhost page.
	Production bool `env:"SVC_PRODUCTION" envDefault:"false"`
	// RecordVersion holds this core to an older record version than its build can write, as long as edges of older builds
	// are in use; 0 holds it to none.
	RecordVersion record.Version `env:"SVC_RECORD_VERSION" envDefault:"0"`
	Stream        stream.Config
	Blob          blob.Config
	Telemetry     telemetry.Config
}

const (
	minSecret = 32 // characters of a cluster secret
	maxDrain  = time.Minute
	minAnswer = 16 << 20 // bytes; with less, some answers are only given while there are no others
	// minBeside is how many bytes there must be beside large answers: for connections to the database, each with a buffer
	// of a large row, and for the answers that are being made.
	minBeside = 64 << 20
)

// FromEnvironment reads and checks the configuration; the error names everything that is wrong.
func FromEnvironment() (Config, error) {
	var cfg Config
	if err := env.Parse(&cfg); err != nil {
		return cfg, fmt.Errorf("reading the environment: %w", err)
	}
	return cfg, cfg.Validate()
}

// Validate reports every fault at once.
func (c *Config) Validate() error {
	var errs []error
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		errs = append(errs, fmt.Errorf("SVC_CORE_LISTEN is %q; it must be host:port", c.Listen))
	}
	errs = append(errs, telemetry.CheckAdminListen("SVC_CORE_ADMIN_LISTEN", c.AdminListen, c.Listen))
	if c.DatabaseURL == "" {
		errs = append(errs, errors.New("SVC_DATABASE_URL must be set, as postgres://user:password@host/database"))
	}
	if c.Drain < 0 || c.Drain > maxDrain {
		errs = append(errs, fmt.Errorf("SVC_CORE_DRAIN is %s; it must be from 0s to %s", c.Drain, maxDrain))
	}
	if c.AnswerMemory < minAnswer {
		errs = append(errs, fmt.Errorf("SVC_CORE_ANSWER_MEMORY is %d bytes; it must be at least %d", c.AnswerMemory, minAnswer))
	}
	if c.Memory-c.AnswerMemory < minBeside {
		errs = append(errs, fmt.Errorf("SVC_CORE_MEMORY is %d bytes; it must be at least %d more than SVC_CORE_ANSWER_MEMORY, which is %d",
			c.Memory, minBeside, c.AnswerMemory))
	}
	if err := c.RecordVersion.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("SVC_RECORD_VERSION: %w", err))
	}
	if len(c.ClusterSecret) < minSecret {
		errs = append(errs, fmt.Errorf("SVC_CLUSTER_SECRET must have at least %d characters, the same on every core and edge", minSecret))
	}
	if u, err := url.Parse(c.AssetURL); c.AssetURL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		errs = append(errs, fmt.Errorf("SVC_ASSET_URL is %q; it must be an address such as https://cdn.example.com", c.AssetURL))
	}
	return errors.Join(append(errs, c.Stream.Validate(), c.Blob.Validate())...)
}
