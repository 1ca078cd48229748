package dsl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

var errUnprepared = errors.New("this program cannot load schemas: its main must call dsl.RunChild first")

// evaluate has a child process bundle and evaluate the files. A limit that a file exceeds is an issue of the answer.
// The state is that of the process, nil where there was none.
func evaluate(ctx context.Context, r request, b budget) (answer, *os.ProcessState, error) {
	if !prepared.Load() {
		return answer{}, nil, errUnprepared
	}
	r.TimeMillis, r.MemoryBytes = b.time.Milliseconds(), b.memory
	input, err := json.Marshal(r)
	if err != nil {
		return answer{}, nil, fmt.Errorf("prepare the evaluation of schema files: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, b.kill())
	defer cancel()
	child, err := startChild(limited)
	if err != nil {
		return answer{}, nil, fmt.Errorf("start the evaluation of schema files: %w", err)
	}
	doing, result, err := child.ask(input)
	ended := child.end()
	state := child.cmd.ProcessState
	switch {
	case ctx.Err() != nil:
		return answer{}, state, ctx.Err()
	case ended == nil && err == nil && result != nil:
		return *result, state, nil
	}
	return answer{Issues: []Issue{explainEnd(r, doing, child, ended, limited.Err() != nil, err, b)}}, state, nil
}

// child is a running evaluation.
type child struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	stderr head
}

// startChild starts this program again, with an empty environment and nothing open but its three pipes.
func startChild(ctx context.Context) (*child, error) {
	program, err := executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.CommandContext(ctx, program)}
	c.cmd.Args = []string{childName}
	c.cmd.Env = []string{}
	if underRace { // a program would linger a second at its end
		c.cmd.Env = []string{"GORACE=atexit_sleep_ms=0"}
	}
	c.cmd.Stderr = &c.stderr
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.stdout, err = c.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return c, c.cmd.Start()
}

// ask sends the request and reads all that the child says. The pipe stays open: its end would end the child.
func (c *child) ask(input []byte) (doing string, result *answer, err error) {
	sent := make(chan error, 1)
	go func() {
		_, err := c.stdin.Write(input)
		sent <- err
	}()
	doing, result, err = readRecords(c.stdout)
	if err != nil { // whatever else it says, nobody listens any more
		c.cmd.Cancel() //nolint:errcheck // it may have ended already
	}
	return doing, result, errors.Join(err, <-sent)
}

// end waits for the child to end.
func (c *child) end() error {
	err := c.cmd.Wait()
	c.stdin.Close() //nolint:errcheck // Wait has closed it where there was anything to close
	return err
}

// explainEnd says as an issue why a child gave no answer.
func explainEnd(r request, doing string, c *child, ended error, late bool, broken error, b budget) Issue {
	about := Issue{File: doing}
	if about.File == "" && len(r.Files) == 1 {
		about.File = r.Files[0].Path
	}
	said := c.stderr.String()
	state := c.cmd.ProcessState
	code := state.ExitCode()
	switch {
	case code == exitTime || late:
		return about.over(CodeTimeLimit, b)
	case code == exitMemory, code == exitRuntime && outOfMemory(said):
		return about.over(CodeMemoryLimit, b)
	case code == exitRuntime && strings.Contains(said, "stack overflow"):
		about.Code, about.Message = CodeRecursion, "the text, the values or the calls are nested too deep"
	case ended != nil:
		about.Code, about.Message = CodeCrash, fmt.Sprintf("its evaluation broke down (%v): %s", ended, firstLine(said))
	default:
		about.Code, about.Message = CodeCrash, fmt.Sprintf("its evaluation gave no answer that could be read: %v", broken)
	}
	return about
}

// over completes an issue about an exceeded limit.
func (i Issue) over(code Code, b budget) Issue {
	i.Code = code
	subject := "its evaluation"
	if i.File == "" {
		subject = "the evaluation of the schema files"
	}
	if code == CodeMemoryLimit {
		i.Message = fmt.Sprintf("%s needs more than the %d MB of memory it may take", subject, b.memory>>20)
	} else {
		i.Message = fmt.Sprintf("%s takes longer than the %s it may take", subject, b.time)
	}
	return i
}

// outOfMemory tells from the last words of a Go program that the system refused it memory, be it for a new thread or
// for its collector, which does not look whether it got any (a panic over a nil pointer begins otherwise).
func outOfMemory(said string) bool {
	return strings.HasPrefix(said, "SIGSEGV") || slices.ContainsFunc([]string{
		"out of memory", "cannot allocate memory", "cannot reserve", "pthread_create failed", "failed to create new OS thread",
		"unexpected signal during runtime execution",
	}, func(words string) bool { return strings.Contains(said, words) })
}

func firstLine(said string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if line == "" {
		return "it said nothing"
	}
	return line
}

// head keeps the beginning of what is written to it.
type head struct{ bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	const most = 8 << 10
	h.Buffer.Write(p[:min(len(p), most-min(most, h.Len()))])
	return len(p), nil
}
