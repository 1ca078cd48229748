package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
)

// gitInput is what a git command gets beside its arguments.
type gitInput struct {
	in, env string
}

func (r *repository) git(ctx context.Context, args ...string) (string, error) {
	return r.run(ctx, gitInput{}, args...)
}

// optional is git for a question that has no answer where git ends with 1.
func (r *repository) optional(ctx context.Context, args ...string) (string, error) {
	out, err := r.git(ctx, args...)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return "", nil
	}
	return out, err
}

// run runs git and returns what it prints, without the last line end. What it complains about is in the error.
func (r *repository) run(ctx context.Context, c gitInput, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", r.top}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	if !r.terminal {
		cmd.Env = append(cmd.Env, "GIT_TERMINAL_PROMPT=0")
	}
	if c.env != "" {
		cmd.Env = append(cmd.Env, c.env)
	}
	var out, complaint strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(c.in), &out, &complaint
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", &gitError{args[0], strings.TrimSpace(complaint.String()), err}
	}
	return strings.TrimRight(out.String(), "\n"), nil
}

// gitError is a git command that failed, and what it said.
type gitError struct {
	command, said string
	err           error
}

func (e *gitError) Error() string {
	if e.said == "" {
		return "git " + e.command + ": " + e.err.Error()
	}
	return "git " + e.command + ": " + e.said + " (" + e.err.Error() + ")"
}

func (e *gitError) Unwrap() error { return e.err }
