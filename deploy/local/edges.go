package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

func isEdge(name string) bool { return strings.HasPrefix(name, string(Edge)+"-") }

// Edges lists the edges the stack starts with.
func (s *Stack) Edges() []string {
	var edges []string
	for i := range s.cfg.Edges {
		edges = append(edges, fmt.Sprintf("%s-%d", Edge, i+1))
	}
	return edges
}

// AddEdge starts one more edge and returns its address once it is ready. The name must be new, or that of an edge that
// RemoveEdge took away, whose directory it then finds as it was left.
func (s *Stack) AddEdge(ctx context.Context, name string) (string, error) {
	if _, err := s.find(name); err == nil {
		return "", fmt.Errorf("the stack has an edge %s already", name)
	}
	s.mu.Lock()
	port, err := portOf(0, name)
	s.ports[name] = port
	admin, adminErr := portOf(0, adminOf(name))
	s.ports[adminOf(name)] = admin
	s.mu.Unlock()
	if err := errors.Join(err, adminErr); err != nil {
		return "", err
	}
	if err := s.openLinks(name); err != nil {
		return "", err
	}
	r := s.add(s.edgePart(name))
	if err := r.start(ctx); err != nil {
		s.drop(r)
		return "", err
	}
	return s.URL(name), nil
}

// RemoveEdge stops an edge and forgets it; its directory stays.
func (s *Stack) RemoveEdge(name string) error {
	r, err := s.find(name)
	if err != nil {
		return err
	}
	if r.part.kind != Edge {
		return fmt.Errorf("%s is no edge", name)
	}
	r.stop()
	s.drop(r)
	return nil
}

func (s *Stack) drop(r *runner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runners = slices.DeleteFunc(s.runners, func(other *runner) bool { return other == r })
}

// ClearPart deletes the directory of a part that is down, as if its disk were lost.
func (s *Stack) ClearPart(name string) error {
	if err := s.mustBeDown(name); err != nil {
		return err
	}
	return os.RemoveAll(s.Dir(name))
}
