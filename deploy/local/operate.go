package local

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// Operate runs a command for operators as it would run beside a core or an edge of the stack, such as ("core", "logs"): with
// that part's program and environment. It returns what the command printed; the error has what it complained of.
func (s *Stack) Operate(ctx context.Context, name string, args ...string) (string, error) {
	p, err := s.part(name)
	if err != nil {
		return "", err
	}
	program, environment := "core", s.coreEnvironment(name, name)
	if p.kind == Edge {
		program, environment = "edge", s.edgeEnvironment(name, s.Dir(name))
	}
	path, err := s.program(name, program)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(append(environment, s.cfg.Environment[p.kind]...), s.partEnvironment(name)...)
	var printed, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &said
	if err := cmd.Run(); err != nil {
		return printed.String(), fmt.Errorf("%s %s: %w: %s", program, strings.Join(args, " "), err, strings.TrimSpace(said.String()))
	}
	return printed.String(), nil
}
