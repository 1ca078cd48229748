package local

import (
	"context"
	"os"
	"path/filepath"

	"svc/deploy/local/process"
)

// part is one program of the stack: how to start it and how to see that it serves.
type part struct {
	name string
	kind Kind
	port int
	// attempts is how often its first start is tried when the program ends instead of serving; 0 is startAttempts.
	attempts int
	// prepare makes what the program needs on disk, before every start.
	prepare func(ctx context.Context) error
	// spec says how the program runs; Name, Home and Log are filled in.
	spec func() (process.Spec, error)
	// probe tries once whether the program serves, and sets up what its users expect to find in it.
	probe func(ctx context.Context) error
}

// basicEnvironment is what a program gets of the environment of the supervisor; all else it is told by the stack.
func basicEnvironment() []string {
	env := []string{"LC_ALL=C", "TZ=UTC"}
	for _, name := range []string{"PATH", "HOME", "USER", "TMPDIR", "GOMAXPROCS", "GOMEMLIMIT", "GODEBUG", "SVC_LOG_LEVEL"} {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return env
}

func (s *Stack) logFile(name string) string { return filepath.Join(s.cfg.Dir, "log", name+".log") }

// Dir is the directory in which a part keeps its data, such as Dir("edge-1").
func (s *Stack) Dir(name string) string {
	if s.cfg.Disks[name] > 0 {
		return filepath.Join(s.disk(name), "data")
	}
	return filepath.Join(s.cfg.Dir, name)
}

// launch starts the program of a part.
func (s *Stack) launch(ctx context.Context, p part) (*process.Process, error) {
	if err := s.mountDisk(p.name); err != nil {
		return nil, err
	}
	if p.prepare != nil {
		if err := p.prepare(ctx); err != nil {
			return nil, err
		}
	}
	spec, err := p.spec()
	if err != nil {
		return nil, err
	}
	spec.Name, spec.Home, spec.Log = p.name, s.cfg.Dir, s.logFile(p.name)
	spec.Env = append(spec.Env, s.added(p)...)
	return process.Start(spec)
}
