package localtest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"svc/deploy/local"
)

// service is one shared service of this test process: the one the environment names, or one started on first use.
type service struct {
	kind local.Kind
	// variable is the environment variable whose presence says that the service runs already.
	variable string
	start    func() (map[string]string, error)
}

func shared(kind local.Kind, variable string) *service {
	return &service{kind: kind, variable: variable, start: sync.OnceValues(func() (map[string]string, error) {
		return startService(kind)
	})}
}

var (
	postgres = shared(local.Postgres, local.TestDatabaseURL)
	redisOne = shared(local.Redis, local.TestRedisURL)
	s3       = shared(local.S3, local.TestS3Endpoint)
)

// lookup returns how to read the variables of the service.
func (s *service) lookup(t testing.TB) func(variable string) string {
	t.Helper()
	if os.Getenv(s.variable) != "" {
		return os.Getenv
	}
	env, err := s.start()
	if err != nil {
		t.Fatalf("start %s for tests: %v", s.kind, err)
	}
	return func(variable string) string { return env[variable] }
}

// startService starts one service in a process that ends, and cleans up, when its input closes: when this process ends.
func startService(kind local.Kind) (map[string]string, error) {
	bin, err := Bin()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(filepath.Join(bin, "local"), "test-services", "-parts", string(kind), "-hold")
	lifeline, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	failure, err := os.CreateTemp("", "svc-test-services-*.log")
	if err != nil {
		return nil, err
	}
	defer failure.Close()
	defer os.Remove(failure.Name())
	cmd.Stderr = failure
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	env := map[string]string{}
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "" {
		name, value, _ := strings.Cut(lines.Text(), "=")
		env[name] = value
	}
	if len(env) == 0 {
		ended := cmd.Wait()
		said, err := os.ReadFile(failure.Name())
		if err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %s", ended, said)
	}
	lifelines.Store(kind, lifeline)
	return env, nil
}

// lifelines holds the inputs of the started processes: the garbage collector would close them.
var lifelines sync.Map
