package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"svc/deploy/local"
	"svc/deploy/local/localtest"
)

// deployment is the one that all tests share.
type deployment struct {
	stack   *local.Stack
	account local.Account
}

// shared starts the deployment for the first test that needs it.
var shared = sync.OnceValues(start)

// started is the stack to stop at the end.
var started *local.Stack

func start() (*deployment, error) {
	bin, err := localtest.Programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "svc-e2e-")
	if err != nil {
		return nil, err
	}
	// The user that PostgreSQL runs as must get in.
	if err := os.Chmod(dir, 0o755); err != nil {
		return nil, err
	}
	stack, err := local.New(local.Config{Dir: dir, Bin: bin, Throwaway: true})
	if err != nil {
		return nil, err
	}
	if err := stack.Start(context.Background()); err != nil {
		return nil, errors.Join(err, stack.Remove())
	}
	started = stack
	account, err := stack.Account(context.Background())
	return &deployment{stack, account}, err
}

func TestMain(m *testing.M) {
	code := m.Run()
	if started != nil {
		if code != 0 {
			fmt.Println(started.LogTails(20))
		}
		if err := errors.Join(started.Stop(context.Background()), started.Remove()); err != nil {
			fmt.Println("stop the deployment:", err)
			code = 1
		}
	}
	os.Exit(code)
}
