package edge

import (
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"time"

	"github.com/caarlos0/env/v11"

	"svc/edge/limit"
	"svc/replication/stream"
	"svc/shared/blob"
	"svc/shared/content"
	"svc/shared/telemetry"
)

// Config is the environment of an edge.
type Config struct {
	Listen string `env:"SVC_EDGE_LISTEN" envDefault:"127.0.0.1:7401"`
	// AdminListen is where operators find /metrics; empty is nowhere.
	AdminListen string `env:"SVC_EDGE_ADMIN_LISTEN"`
	// ID names the edge in the fleet. It stays the same over restarts.
	ID string `env:"SVC_EDGE_ID"`
	// Dir is where the edge keeps what it serves. Losing it costs a reload.
	Dir string `env:"SVC_EDGE_DIR"`
	// CoreURL is the origin of core; of several, with commas between them, the nearest comes first and the others stand in.
	CoreURL       string `env:"SVC_CORE_URL"`
	ClusterSecret string `env:"SVC_CLUSTER_SECRET"`
	// Memory is the one budget in bytes for everything the edge keeps in memory, but for what lists are ordered by, which may take half as
	// much again (store.Config.MemoryBudget).
	Memory int64 `env:"SVC_EDGE_MEMORY" envDefault:"402653184"`
	// AnswerCache is how many bytes of that keep answers: 0 keeps none, -1 is an eighth.
	AnswerCache int64 `env:"SVC_EDGE_ANSWER_CACHE" envDefault:"-1"`
	// MinFree is how many bytes of the disk stay free: below that the edge takes no changes and goes on serving.
	MinFree int64 `env:"SVC_EDGE_MIN_FREE" envDefault:"134217728"`
	// Projects are the ids of those to hold; empty holds all.
	Projects []string `env:"SVC_EDGE_PROJECTS"`
	// CredentialMaxAge is how long after the last word from core private reads go on.
	CredentialMaxAge time.Duration `env:"SVC_CREDENTIAL_MAX_AGE" envDefault:"5m"`
	// Drain is how long an edge that is told to stop goes on taking requests while it says that it is not ready: as long
	// as whatever spreads requests over edges takes to see it.
	Drain time.Duration `env:"SVC_EDGE_DRAIN" envDefault:"0s"`
	// Now is the clock by which this edge tells ages and whether a key has expired; time.Now where nil.
	Now func() time.Time `env:"-"`
	// Production refuses what only a developer's machine should allow, such as reads from any localhost page.
	Production bool `env:"SVC_PRODUCTION" envDefault:"false"`
	Limit      limit.Config
	Stream     stream.Config
	Blob       blob.Config
	Telemetry  telemetry.Config
}

const (
	minSecret = 32
	minMemory = 64 << 20
	maxDrain  = time.Minute
)

var idForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// FromEnvironment reads and checks the configuration; the error names everything that is wrong.
func FromEnvironment() (Config, error) {
	var cfg Config
	if err := env.Parse(&cfg); err != nil {
		return cfg, fmt.Errorf("reading the environment: %w", err)
	}
	return cfg, cfg.Validate()
}

// directory is all of the configuration that commands on the store need.
func directory() (string, error) {
	var cfg struct {
		Dir string `env:"SVC_EDGE_DIR,required,notEmpty"`
	}
	if err := env.Parse(&cfg); err != nil {
		return "", fmt.Errorf("reading the environment: %w", err)
	}
	return cfg.Dir, nil
}

// Validate reports every fault at once.
func (c *Config) Validate() error {
	var errs []error
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		errs = append(errs, fmt.Errorf("SVC_EDGE_LISTEN is %q; it must be host:port", c.Listen))
	}
	errs = append(errs, telemetry.CheckAdminListen("SVC_EDGE_ADMIN_LISTEN", c.AdminListen, c.Listen))
	if !idForm.MatchString(c.ID) || len(c.ID) > 64 {
		errs = append(errs, fmt.Errorf("SVC_EDGE_ID is %q; it must be a name of lower-case letters, digits and single hyphens", c.ID))
	}
	if c.Dir == "" {
		errs = append(errs, errors.New("SVC_EDGE_DIR must be set, to a directory that this edge alone uses"))
	}
	if len(c.ClusterSecret) < minSecret {
		errs = append(errs, fmt.Errorf("SVC_CLUSTER_SECRET must have at least %d characters, the same on every core and edge", minSecret))
	}
	if c.Memory < minMemory {
		errs = append(errs, fmt.Errorf("SVC_EDGE_MEMORY is %d bytes; it must be at least %d", c.Memory, minMemory))
	}
	if c.AnswerCache < -1 || c.AnswerCache > c.Memory/4 {
		errs = append(errs, fmt.Errorf("SVC_EDGE_ANSWER_CACHE is %d bytes; it must be from 0 to a quarter of SVC_EDGE_MEMORY, or -1", c.AnswerCache))
	}
	if c.MinFree < 1 {
		errs = append(errs, fmt.Errorf("SVC_EDGE_MIN_FREE is %d bytes; it must be at least 1", c.MinFree))
	}
	for _, id := range c.Projects {
		if !content.IsID[content.ProjectID](id) {
			errs = append(errs, fmt.Errorf("SVC_EDGE_PROJECTS holds %q; it must be a list of project ids", id))
		}
	}
	if c.CredentialMaxAge < time.Second {
		errs = append(errs, fmt.Errorf("SVC_CREDENTIAL_MAX_AGE is %s; it must be at least 1s", c.CredentialMaxAge))
	}
	if c.Drain < 0 || c.Drain > maxDrain {
		errs = append(errs, fmt.Errorf("SVC_EDGE_DRAIN is %s; it must be from 0s to %s", c.Drain, maxDrain))
	}
	return errors.Join(append(errs, c.Limit.Validate(), c.Stream.Validate(), c.Blob.Validate())...)
}

// answerCache is how many bytes keep answers.
func (c *Config) answerCache() int64 {
	if c.AnswerCache < 0 {
		return c.Memory / 8
	}
	return c.AnswerCache
}

// wants tells which logs to follow: those of the placed projects, and of every organization.
func (c *Config) wants(log string) bool {
	return len(c.Projects) == 0 || !content.IsID[content.ProjectID](log) || slices.Contains(c.Projects, log)
}
