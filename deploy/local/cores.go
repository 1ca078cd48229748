package local

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// coreName names the cores: core, core-2 and so on.
func coreName(i int) string {
	if i == 0 {
		return string(Core)
	}
	return fmt.Sprintf("%s-%d", Core, i+1)
}

func isCore(name string) bool {
	return name == string(Core) || strings.HasPrefix(name, string(Core)+"-")
}

// coreOf is the core that an edge asks: they take turns by their number; one without a number asks the first.
func (s *Stack) coreOf(edge string) string {
	number, err := strconv.Atoi(edge[strings.LastIndexByte(edge, '-')+1:])
	if err != nil || number < 1 || s.cfg.Cores == 0 {
		return coreName(0)
	}
	return coreName((number - 1) % s.cfg.Cores)
}

// Cores lists the cores the stack starts with.
func (s *Stack) Cores() []string {
	var cores []string
	for i := range s.cfg.Cores {
		cores = append(cores, coreName(i))
	}
	return cores
}

// SetEnvironment replaces the variables that Config.PartEnvironment added to a part, from its next start on.
func (s *Stack) SetEnvironment(name string, variables ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cfg.PartEnvironment == nil {
		s.cfg.PartEnvironment = map[string][]string{}
	}
	s.cfg.PartEnvironment[name] = variables
}

// added is the variables that the configuration adds to a part: those of its kind, then its own.
func (s *Stack) added(p part) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Concat(s.cfg.Environment[p.kind], s.cfg.PartEnvironment[p.name])
}
