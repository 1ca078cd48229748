// Package local starts and supervises a whole deployment on one machine: PostgreSQL, NATS, Redis, an S3 store, core and
// edges, each the real thing, on loopback ports with all data in one directory. `make run` is built on it; tests use it to
// start the parts they need, to kill them and to bring them back.
package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"svc/deploy/local/link"
	"svc/deploy/local/process"
)

// Stack is a deployment on this machine. Its methods may be called from several goroutines.
type Stack struct {
	cfg     Config
	secrets secrets
	lock    *os.File
	report  sync.Mutex

	mu sync.Mutex
	// ports maps the name of a part to its port.
	ports map[string]int
	links map[way]*link.Link
	// runners supervise the parts, in the order of starting.
	runners []*runner
}

// New prepares a stack without starting or writing anything.
func New(cfg Config) (*Stack, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Stack{cfg: cfg, ports: map[string]int{}, links: map[way]*link.Link{}}, nil
}

// RunningError says that another process runs the stack of the same directory.
type RunningError struct {
	Dir string
	// Pid is the process that runs it; 0 when it cannot be told.
	Pid int
}

func (e *RunningError) Error() string {
	return fmt.Sprintf("the stack in %s is already running (process %d)", e.Dir, e.Pid)
}

// Start starts every part and returns when all are ready; with an error nothing is left running. A stack of the same
// directory that runs already is a RunningError.
func (s *Stack) Start(ctx context.Context) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	if err := s.startParts(ctx); err != nil {
		return errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	return nil
}

// open takes the directory: its lock, its secrets, and the ports. What a killed supervisor left running is ended first.
func (s *Stack) open(ctx context.Context) error {
	if err := os.MkdirAll(s.cfg.Dir, 0o755); err != nil {
		return fmt.Errorf("SVC_LOCAL_DIR: %w", err)
	}
	lock, err := lockDir(s.cfg.Dir)
	if err != nil {
		return err
	}
	s.lock = lock
	// The directory may lie in a repository, and has secrets in it.
	if err := os.WriteFile(filepath.Join(s.cfg.Dir, ".gitignore"), []byte("*\n"), 0o644); err != nil {
		return errors.Join(err, s.unlock())
	}
	if err := errors.Join(s.removeEnvFile(), s.endLeftovers(ctx)); err != nil {
		return errors.Join(err, s.unlock())
	}
	if s.secrets, err = loadSecrets(s.cfg.Dir); err != nil {
		return errors.Join(err, s.unlock())
	}
	if err := s.takePorts(); err != nil {
		return errors.Join(err, s.unlock())
	}
	for _, name := range s.names() {
		if err := s.openLinks(name); err != nil {
			return errors.Join(err, s.closeLinks(), s.unlock())
		}
	}
	return nil
}

func (s *Stack) endLeftovers(ctx context.Context) error {
	leftovers, err := process.Leftovers(s.cfg.Dir)
	if err != nil {
		return fmt.Errorf("look for parts of a killed stack: %w", err)
	}
	for _, leftover := range leftovers {
		s.say("ending %s (process %d), which a killed stack left behind", leftover.Name, leftover.Pid)
		if err := process.EndLeftover(ctx, s.cfg.Dir, leftover, 10*time.Second); err != nil {
			return fmt.Errorf("end %s of a killed stack: %w", leftover.Name, err)
		}
	}
	return nil
}

// names lists the parts to start, in order.
func (s *Stack) names() []string {
	var names []string
	for _, kind := range Kinds() {
		switch {
		case !slices.Contains(s.cfg.Parts, kind):
		case kind == Core:
			names = append(names, s.Cores()...)
		case kind == Edge:
			names = append(names, s.Edges()...)
		default:
			names = append(names, string(kind))
		}
	}
	return names
}

// startParts starts the services all at once, then core, then the edges all at once.
func (s *Stack) startParts(ctx context.Context) error {
	for _, stage := range [][]Kind{{Postgres, NATS, Redis, S3}, {Core}, {Edge}} {
		var group []*runner
		for _, name := range s.names() {
			p, err := s.part(name)
			if err != nil {
				return err
			}
			if slices.Contains(stage, p.kind) {
				group = append(group, s.add(p))
			}
		}
		if err := startAll(ctx, group); err != nil {
			return err
		}
	}
	return nil
}

func startAll(ctx context.Context, group []*runner) error {
	faults := make([]error, len(group))
	var wait sync.WaitGroup
	for i, r := range group {
		wait.Go(func() { faults[i] = r.start(ctx) })
	}
	wait.Wait()
	return errors.Join(faults...)
}

func (s *Stack) add(p part) *runner {
	r := &runner{stack: s, part: p}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runners = append(s.runners, r)
	return r
}

// Stop stops every part in the reverse order of starting and gives the directory back. A part that does not end within
// its grace is killed. Stopping a stack that is not running does nothing.
func (s *Stack) Stop(context.Context) error {
	s.mu.Lock()
	runners := slices.Clone(s.runners)
	s.runners = nil
	s.mu.Unlock()
	slices.Reverse(runners)
	for stage := range slices.Values([][]Kind{{Edge}, {Core}, {Postgres, NATS, Redis, S3}}) {
		var wait sync.WaitGroup
		for _, r := range runners {
			if slices.Contains(stage, r.part.kind) {
				wait.Go(r.stop)
			}
		}
		wait.Wait()
	}
	return errors.Join(s.closeLinks(), s.unlock())
}

func (s *Stack) unlock() error {
	if s.lock == nil {
		return nil
	}
	// Closing it gives the lock back; the file stays, for removing it would let two take "the" lock.
	err := s.lock.Close()
	s.lock = nil
	return err
}

// part describes a part by its name.
func (s *Stack) part(name string) (part, error) {
	switch name {
	case "postgres":
		return s.postgresPart()
	case "nats":
		return s.natsPart(), nil
	case "redis":
		return s.redisPart(), nil
	case "s3":
		return s.s3Part(), nil
	}
	if slices.Contains(s.Cores(), name) {
		return s.corePart(name), nil
	}
	if slices.Contains(s.Edges(), name) {
		return s.edgePart(name), nil
	}
	return part{}, s.noPart(name)
}

// say reports an event in one line.
func (s *Stack) say(format string, args ...any) {
	s.report.Lock()
	defer s.report.Unlock()
	// A report that cannot be written must not stop the stack.
	_, _ = fmt.Fprintf(s.cfg.Report, format+"\n", args...)
}

// LogDir holds one log file per part.
func (s *Stack) LogDir() string { return filepath.Join(s.cfg.Dir, "log") }

// LogTails returns the last lines of every part's log, and as many of those before them that tell an error, for a person
// to read.
func (s *Stack) LogTails(lines int) string {
	files, err := filepath.Glob(filepath.Join(s.LogDir(), "*.log"))
	if err != nil {
		return err.Error()
	}
	var text strings.Builder
	for _, file := range files {
		tail := process.Tail(file, lines)
		fmt.Fprintf(&text, "== %s\n", filepath.Base(file))
		for _, line := range process.Errors(file, lines) {
			if !strings.Contains(tail, line) {
				fmt.Fprintf(&text, "%s\n", line)
			}
		}
		fmt.Fprintf(&text, "%s\n", tail)
	}
	return text.String()
}
