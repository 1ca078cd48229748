package core

import (
	"errors"
	"fmt"
	"net"
	"net/url"

	"github.com/caarlos0/env/v11"

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
	// AssetURL is where assets are delivered from: the public address of the edges.
	AssetURL string `env:"SVC_ASSET_URL"`
	// Production refuses what only a developer's machine should allow, such as reads from any localhost page.
	Production bool `env:"SVC_PRODUCTION" envDefault:"false"`
	Stream     stream.Config
	Blob       blob.Config
	Telemetry  telemetry.Config
}

// minSecret is how long a cluster secret must be, in characters.
const minSecret = 32

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
	if len(c.ClusterSecret) < minSecret {
		errs = append(errs, fmt.Errorf("SVC_CLUSTER_SECRET must have at least %d characters, the same on every core and edge", minSecret))
	}
	if u, err := url.Parse(c.AssetURL); c.AssetURL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		errs = append(errs, fmt.Errorf("SVC_ASSET_URL is %q; it must be an address such as https://cdn.example.com", c.AssetURL))
	}
	return errors.Join(append(errs, c.Stream.Validate(), c.Blob.Validate())...)
}

// databaseURL is all of the configuration that commands on the database need.
func databaseURL() (string, error) {
	var cfg struct {
		URL string `env:"SVC_DATABASE_URL,required,notEmpty"`
	}
	if err := env.Parse(&cfg); err != nil {
		return "", fmt.Errorf("reading the environment: %w", err)
	}
	return cfg.URL, nil
}
