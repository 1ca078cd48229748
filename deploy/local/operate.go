package local

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// Operate runs a command for operators as it would run beside a core or an edge of the stack, such as ("core", "logs"): with
// that part's program and environment. It returns what the command printed; the error has what it complained of.
func (s *Stack) Operate(ctx context.Context, name string, args ...string) (string, error) {
	p, err := s.part(name)
	if err != nil {
		return "", err
	}
	environment, err := s.operatorEnvironment(name)
	if err != nil {
		return "", err
	}
	program := string(p.kind)
	path, err := s.program(program)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = environment
	var printed, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &said
	if err := cmd.Run(); err != nil {
		return printed.String(), fmt.Errorf("%s %s: %w: %s", program, strings.Join(args, " "), err, strings.TrimSpace(said.String()))
	}
	return printed.String(), nil
}

// operatorEnvironment is what the commands of a core or an edge are configured by.
func (s *Stack) operatorEnvironment(name string) ([]string, error) {
	if !servesOperators(name) {
		return nil, fmt.Errorf("%q is neither a core nor an edge of the stack: those are %s", name,
			strings.Join(slices.Concat(s.Cores(), s.Edges()), ", "))
	}
	p, err := s.part(name)
	if err != nil {
		return nil, err
	}
	environment := s.coreEnvironment(name, name)
	if p.kind == Edge {
		environment = s.edgeEnvironment(name, s.Dir(name))
	}
	return append(environment, s.added(p)...), nil
}
