package bench

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
)

// Config says where things are and how much to do. Relative paths count from the root of the module.
type Config struct {
	// Data is the directory of a documentation site's text: of a small piece of it where nothing else is said.
	Data string `env:"SVC_BENCH_DATA" envDefault:"deploy/e2e/testdata/docs"`
	// Bin holds the programs local, core and edge.
	Bin string `env:"SVC_BENCH_BIN" envDefault:"bin"`
	// Out takes the reports, and the stacks while they run.
	Out string `env:"SVC_BENCH_OUT" envDefault:"var/bench"`
	// Results takes the results that are committed. A quick run writes its own below Out.
	Results string `env:"SVC_BENCH_RESULTS" envDefault:"bench/results"`
	// Quick does little of everything. Limits of time and memory are then told but not held.
	Quick bool `env:"SVC_BENCH_QUICK"`
	// For is how long to soak. Seed is what it draws from: the same seed stages the same edits and chooses the same failures.
	For  time.Duration `env:"SVC_BENCH_FOR" envDefault:"1h"`
	Seed uint64        `env:"SVC_BENCH_SEED" envDefault:"1"`
	// Keep leaves the directories of the stacks behind, for a look at them.
	Keep bool `env:"SVC_BENCH_KEEP"`
}

// FromEnvironment reads SVC_BENCH_*.
func FromEnvironment() (Config, error) {
	cfg, err := env.ParseAs[Config]()
	if err != nil {
		return Config{}, fmt.Errorf("configuration of the benchmarks: %w", err)
	}
	root, err := moduleRoot()
	if err != nil {
		return Config{}, err
	}
	for _, path := range []*string{&cfg.Data, &cfg.Bin, &cfg.Out, &cfg.Results} {
		if !filepath.IsAbs(*path) {
			*path = filepath.Join(root, *path)
		}
	}
	return cfg, nil
}

// Validate reports every fault at once.
func (c Config) Validate() error {
	var faults []error
	for _, program := range []string{"local", "core", "edge"} {
		if _, err := os.Stat(filepath.Join(c.Bin, program)); err != nil {
			faults = append(faults, fmt.Errorf("SVC_BENCH_BIN: %w (`make build` builds it)", err))
		}
	}
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		faults = append(faults, fmt.Errorf("SVC_BENCH_OUT: %w", err))
	}
	return errors.Join(faults...)
}

// moduleRoot is the directory of go.mod, or the working directory where there is no Go at hand.
func moduleRoot() (string, error) {
	printed, err := exec.Command("go", "env", "GOMOD").Output()
	if file := strings.TrimSpace(string(printed)); err == nil && file != "" && file != os.DevNull {
		return filepath.Dir(file), nil
	}
	return os.Getwd()
}

// sized is full, or small in a quick run.
func (c Config) sized(full, small int) int {
	if c.Quick {
		return small
	}
	return full
}

// resultsDir is where the results go.
func (c Config) resultsDir() string {
	if c.Quick {
		return filepath.Join(c.Out, "results")
	}
	return c.Results
}
