package local

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/caarlos0/env/v11"
)

// Kind is a kind of part.
type Kind string

// The kinds of parts, in the order they start.
const (
	Postgres Kind = "postgres"
	NATS     Kind = "nats"
	Redis    Kind = "redis"
	S3       Kind = "s3"
	Core     Kind = "core"
	Edge     Kind = "edge"
)

// Kinds lists every kind in the order of starting.
func Kinds() []Kind { return []Kind{Postgres, NATS, Redis, S3, Core, Edge} }

// Seed says what a fresh stack is filled with.
type Seed string

// The seeds.
const (
	SeedDemo Seed = "demo"
	SeedNone Seed = "none"
)

// defaultEdges is how many edges a stack starts with.
const defaultEdges = 2

// Config says what to start and where. The zero value of each field is a default that suits a test: random free ports, no
// seed; FromEnvironment has the defaults of `make run`.
type Config struct {
	// Dir holds everything the stack keeps: data, logs, secrets. It is made when missing.
	Dir string `env:"SVC_LOCAL_DIR" envDefault:"var"`
	// Ports is the first of ten consecutive ports: core, edge 1, edge 2, PostgreSQL, NATS, Redis, S3, and the metrics of
	// core, edge 1 and edge 2. With 0, every part takes free ports of its own.
	Ports int `env:"SVC_LOCAL_PORTS" envDefault:"7400"`
	// Seed fills a fresh stack once it is ready.
	Seed Seed `env:"SVC_LOCAL_SEED" envDefault:"demo"`

	// Parts are the kinds to start; all when empty.
	Parts []Kind
	// Cores is how many cores to start, named core, core-2 and so on; one when zero and Parts asks for core. Edges take
	// turns: edge-1 asks core, edge-2 core-2, edge-3 core again where there are two.
	Cores int
	// Edges is how many edges to start; two when zero and Parts asks for edges.
	Edges int
	// Bin is the directory of the programs local, core and edge; the directory of the running program when empty.
	Bin string
	// Throwaway gives up durability for speed: for data that no one will miss after a crash of the machine.
	Throwaway bool
	// Environment adds variables ("NAME=value") to the parts of a kind, after those the stack sets.
	Environment map[Kind][]string
	// PartEnvironment adds variables to single parts, after those of their kind.
	PartEnvironment map[string][]string
	// Links lets every part reach the others through a link of its own, which can be cut (Stack.Cut and the like).
	Links bool
	// Disks gives parts a disk of their own of so many bytes, which can be filled (Stack.FillDisk). It is in memory and gone
	// with Remove. The supervisor must be allowed to mount file systems, else starting ends with ErrNoMount; for PostgreSQL
	// the user it runs as must be able to enter Dir.
	Disks map[string]int64
	// Report takes one line per event: a part that is ready, stopped, died, came back. Nothing is reported when nil.
	Report io.Writer
}

// FromEnvironment reads SVC_LOCAL_DIR, SVC_LOCAL_PORTS and SVC_LOCAL_SEED.
func FromEnvironment() (Config, error) {
	cfg, err := env.ParseAs[Config]()
	// The ports are the only number.
	if errors.As(err, new(env.ParseError)) {
		return Config{}, portsFault(os.Getenv("SVC_LOCAL_PORTS"))
	}
	if err != nil {
		return Config{}, fmt.Errorf("configuration of the local stack: %w", err)
	}
	return cfg, nil
}

// lastFirstPort is the highest port that the others can follow.
func lastFirstPort() int { return 65535 - len(fixedPorts) + 1 }

func portsFault(value string) error {
	return fmt.Errorf("SVC_LOCAL_PORTS: %q must be a number between 1024 and %d, or 0 for free ports", value, lastFirstPort())
}

// Validate reports every fault at once.
func (c Config) Validate() error {
	var faults []error
	if c.Dir == "" {
		faults = append(faults, errors.New("SVC_LOCAL_DIR: must name a directory"))
	}
	if c.Ports < 0 || c.Ports > lastFirstPort() || c.Ports > 0 && c.Ports < 1024 {
		faults = append(faults, portsFault(strconv.Itoa(c.Ports)))
	}
	if c.Seed != "" && c.Seed != SeedDemo && c.Seed != SeedNone {
		faults = append(faults, fmt.Errorf("SVC_LOCAL_SEED: %q must be demo or none", c.Seed))
	}
	for _, kind := range c.Parts {
		if !slices.Contains(Kinds(), kind) {
			faults = append(faults, fmt.Errorf("part %q must be one of %v", kind, Kinds()))
		}
	}
	if c.Edges < 0 {
		faults = append(faults, fmt.Errorf("%d edges: must not be negative", c.Edges))
	}
	if c.Cores < 0 {
		faults = append(faults, fmt.Errorf("%d cores: must not be negative", c.Cores))
	}
	return errors.Join(faults...)
}

// withDefaults makes paths absolute and fills in what was left out.
func (c Config) withDefaults() (Config, error) {
	var err error
	if c.Dir, err = filepath.Abs(c.Dir); err != nil {
		return Config{}, fmt.Errorf("SVC_LOCAL_DIR: %w", err)
	}
	if len(c.Parts) == 0 {
		c.Parts = Kinds()
	}
	if c.Edges == 0 {
		c.Edges = defaultEdges
	}
	if !slices.Contains(c.Parts, Edge) {
		c.Edges = 0
	}
	if c.Cores == 0 {
		c.Cores = 1
	}
	if !slices.Contains(c.Parts, Core) {
		c.Cores = 0
	}
	c.PartEnvironment = maps.Clone(c.PartEnvironment)
	if c.Bin == "" {
		program, err := os.Executable()
		if err != nil {
			return Config{}, fmt.Errorf("find the directory of programs: %w", err)
		}
		c.Bin = filepath.Dir(program)
	}
	if c.Bin, err = filepath.Abs(c.Bin); err != nil {
		return Config{}, fmt.Errorf("directory of programs: %w", err)
	}
	if c.Report == nil {
		c.Report = io.Discard
	}
	return c, nil
}
