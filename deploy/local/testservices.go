package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// The variables through which tests find services that run already; package localtest reads them.
const (
	TestDatabaseURL = "SVC_TEST_DATABASE_URL"
	TestRedisURL    = "SVC_TEST_REDIS_URL"
	TestS3Endpoint  = "SVC_TEST_S3_ENDPOINT"
	TestS3Region    = "SVC_TEST_S3_REGION"
	TestS3AccessKey = "SVC_TEST_S3_ACCESS_KEY"
	TestS3SecretKey = "SVC_TEST_S3_SECRET_KEY"
	// TestBin is the directory of the programs local, core and edge.
	TestBin = "SVC_TEST_BIN"
)

// testDirPattern names the directories of test services, below the directory for temporary files.
const testDirPattern = "svc-test-"

// TestServices starts the given kinds of services (of PostgreSQL, Redis and S3; all of them when none is given) for
// tests, with throwaway data on free ports, and calls use with the variables that lead to them ("NAME=value"). When use
// returns, everything is stopped and removed.
func TestServices(ctx context.Context, parts []Kind, report io.Writer, use func(env []string) error) error {
	if len(parts) == 0 {
		parts = []Kind{Postgres, Redis, S3}
	}
	if err := purgeTestDirs(ctx); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", testDirPattern)
	if err != nil {
		return fmt.Errorf("directory of test services: %w", err)
	}
	// The user that PostgreSQL runs as must get in.
	if err := os.Chmod(dir, 0o755); err != nil {
		return fmt.Errorf("directory of test services: %w", err)
	}
	stack, err := New(Config{Dir: dir, Parts: parts, Throwaway: true, Report: report})
	if err != nil {
		return err
	}
	if err := stack.Start(ctx); err != nil {
		return errors.Join(err, stack.Remove())
	}
	err = use(stack.testEnvironment())
	return errors.Join(err, stack.Stop(ctx), stack.Remove())
}

func (s *Stack) testEnvironment() []string {
	env := []string{TestBin + "=" + s.cfg.Bin}
	for _, kind := range s.cfg.Parts {
		switch kind {
		case Postgres:
			env = append(env, TestDatabaseURL+"="+s.postgresURL("", "postgres"))
		case Redis:
			env = append(env, TestRedisURL+"="+s.redisURL(""))
		case S3:
			env = append(env, TestS3Endpoint+"="+s.s3URL(""), TestS3Region+"="+s3Region,
				TestS3AccessKey+"="+s.secrets.S3AccessKey, TestS3SecretKey+"="+s.secrets.S3SecretKey)
		}
	}
	return env
}

// HoldTestServices runs test services until the input ends. It writes their variables, one a line, and an empty line
// once they are ready. A process that starts it with a pipe as its input need not stop it: the pipe closes with the process.
func HoldTestServices(ctx context.Context, parts []Kind, in io.Reader, out io.Writer) error {
	return TestServices(ctx, parts, nil, func(env []string) error {
		if _, err := fmt.Fprintf(out, "%s\n\n", strings.Join(env, "\n")); err != nil {
			return fmt.Errorf("say where the test services are: %w", err)
		}
		ended := make(chan error, 1)
		go func() {
			_, err := bufio.NewReader(in).WriteTo(io.Discard)
			ended <- err
		}()
		select {
		case err := <-ended:
			return err
		case <-ctx.Done():
			return nil
		}
	})
}

// RunWithTestServices runs a command with test services beside it. Signals that ask for an end go to the command, so that
// the services outlive it. Its exit code is found in an *exec.ExitError.
func RunWithTestServices(parts []Kind, report io.Writer, command []string) error {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	return TestServices(context.Background(), parts, report, func(env []string) error {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Env = append(os.Environ(), env...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("run %s: %w", command[0], err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for {
			select {
			case err := <-ended:
				return err
			case asked := <-signals:
				// It may have ended this very moment.
				_ = cmd.Process.Signal(asked)
			}
		}
	})
}

// purgeTestDirs removes what killed test services left behind.
func purgeTestDirs(ctx context.Context) error {
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), testDirPattern+"*"))
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		// A young one may belong to a process that is about to lock it.
		if err != nil || time.Since(info.ModTime()) < time.Minute {
			continue
		}
		stack, err := New(Config{Dir: dir, Parts: []Kind{Postgres}})
		if err != nil {
			return err
		}
		err = stack.purge(ctx)
		// One that is in use, and one of another user, are no business of ours.
		if err != nil && !errors.As(err, new(*RunningError)) && !errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("remove the test services in %s, which were killed: %w", dir, err)
		}
	}
	return nil
}

// purge removes a stack that no one runs, and ends what is left of it.
func (s *Stack) purge(ctx context.Context) error {
	lock, err := lockDir(s.cfg.Dir)
	if err != nil {
		return err
	}
	s.lock = lock
	return errors.Join(s.endLeftovers(ctx), s.Remove(), s.unlock())
}

// Remove deletes everything a stopped stack keeps.
func (s *Stack) Remove() error {
	var faults []error
	if aside, err := os.Readlink(s.Dir("postgres")); err == nil && filepath.Dir(aside) == asideDir {
		faults = append(faults, os.RemoveAll(aside))
	}
	if err := s.unmountDisks(); err != nil {
		return errors.Join(append(faults, err)...)
	}
	return errors.Join(append(faults, os.RemoveAll(s.cfg.Dir))...)
}

// ParseKinds reads a list such as "postgres,redis"; an empty text is an empty list.
func ParseKinds(text string) ([]Kind, error) {
	var kinds []Kind
	for word := range strings.SplitSeq(text, ",") {
		if word == "" {
			continue
		}
		if !slices.Contains(Kinds(), Kind(word)) {
			return nil, fmt.Errorf("part %q must be one of %v", word, Kinds())
		}
		kinds = append(kinds, Kind(word))
	}
	return kinds, nil
}
