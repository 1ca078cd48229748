package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"syscall"

	"github.com/go-json-experiment/json"
)

var errBusy = errors.New("try again when it is done")

// Remote steers a stack that another process runs.
type Remote struct{ dir string }

// FindRemote is the stack of a directory, whether it runs or not.
func FindRemote(dir string) (Remote, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Remote{}, fmt.Errorf("SVC_LOCAL_DIR: %w", err)
	}
	return Remote{dir}, nil
}

// StopPart ends a part such as "edge-1", which stays down until StartPart, and returns a line for a person.
func (r Remote) StopPart(ctx context.Context, name string) (string, error) {
	return r.ask(ctx, http.MethodPost, name, "stop")
}

// StartPart starts a part again, waits until it is ready and returns a line for a person.
func (r Remote) StartPart(ctx context.Context, name string) (string, error) {
	return r.ask(ctx, http.MethodPost, name, "start")
}

// Environment is what a core or an edge of the stack is configured by, each as "NAME=value".
func (r Remote) Environment(ctx context.Context, name string) ([]string, error) {
	text, err := r.ask(ctx, http.MethodGet, name, "environment")
	if err != nil {
		return nil, err
	}
	var variables []string
	if err := json.Unmarshal([]byte(text), &variables); err != nil {
		return nil, fmt.Errorf("environment of %s: %w", name, err)
	}
	return variables, nil
}

func (r Remote) ask(ctx context.Context, method, part, verb string) (string, error) {
	if _, err := r.supervisor(); err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://stack/parts/"+url.PathEscape(part)+"/"+verb, nil)
	if err != nil {
		return "", err
	}
	client := &http.Client{Transport: &http.Transport{DialContext: r.dial, DisableKeepAlives: true}}
	response, err := client.Do(request)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return "", fmt.Errorf("the stack in %s is just starting or stopping: %w", shortPath(r.dir), errBusy)
	}
	if err != nil {
		return "", fmt.Errorf("ask the stack in %s: %w", shortPath(r.dir), err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return "", fmt.Errorf("answer of the stack: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return "", errors.New(string(text))
	}
	return string(text), nil
}

// supervisor is the process that runs the stack.
func (r Remote) supervisor() (*RunningError, error) {
	holder, err := lockHolder(r.dir)
	if err == nil && holder == nil {
		err = fmt.Errorf("no stack runs in %s: `make run` starts one, and SVC_LOCAL_DIR says which is meant", shortPath(r.dir))
	}
	return holder, err
}

// Stop ends the stack as Ctrl-C does in its terminal, and returns when it has ended.
func (r Remote) Stop(ctx context.Context) error {
	holder, err := r.supervisor()
	if err != nil {
		return err
	}
	if holder.Pid == 0 {
		return fmt.Errorf("the stack in %s is just starting: %w", shortPath(r.dir), errBusy)
	}
	if err := syscall.Kill(holder.Pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop the stack in %s (process %d): %w", shortPath(r.dir), holder.Pid, err)
	}
	for holder != nil {
		if err := sleep(ctx, probeEvery); err != nil {
			return err
		}
		if holder, err = lockHolder(r.dir); err != nil {
			return err
		}
	}
	return nil
}

func (r Remote) dial(ctx context.Context, _, _ string) (conn net.Conn, err error) {
	err = atSocket(r.dir, func(path string) (err error) {
		conn, err = new(net.Dialer).DialContext(ctx, "unix", path)
		return err
	})
	return conn, err
}
