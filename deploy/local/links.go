package local

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"svc/deploy/local/link"
)

// way is how one part reaches another.
type way struct{ from, to string }

// route is the address under which a part reaches another: a link where the stack has links, else the other's own. The
// stack itself, which is no part of anyone, reaches everything directly.
func (s *Stack) route(from, to string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.links[way{from, to}]; l != nil {
		return l.Address()
	}
	return address(s.ports[to])
}

// openLinks makes the links of a part to those it talks to.
func (s *Stack) openLinks(from string) error {
	if !s.cfg.Links {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, to := range s.usedBy(from) {
		port, runs := s.ports[to]
		if !runs || s.links[way{from, to}] != nil {
			continue
		}
		l, err := link.Open(address(port))
		if err != nil {
			return err
		}
		s.links[way{from, to}] = l
	}
	return nil
}

// usedBy lists the parts that a part talks to.
func (s *Stack) usedBy(name string) []string {
	switch {
	case isCore(name):
		return []string{"postgres", "nats", "s3"}
	case isEdge(name):
		return []string{"nats", "redis", "s3", s.coreOf(name)}
	}
	return nil
}

func (s *Stack) closeLinks() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var faults []error
	for _, l := range s.links {
		faults = append(faults, l.Close())
	}
	clear(s.links)
	return errors.Join(faults...)
}

// Link is what carries the connections of one part to another, such as Link("core", "nats"). A stack has links when its
// configuration says so.
func (s *Stack) Link(from, to string) (*link.Link, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.links[way{from, to}]; l != nil {
		return l, nil
	}
	if !s.cfg.Links {
		return nil, errors.New("the stack has no links: Config.Links asks for them")
	}
	var known []string
	for w := range s.links {
		known = append(known, w.from+" to "+w.to)
	}
	slices.Sort(known)
	return nil, fmt.Errorf("no link leads from %s to %s; there are: %s", from, to, strings.Join(known, ", "))
}

func (s *Stack) fault(from, to string, f link.Faults) error {
	l, err := s.Link(from, to)
	if err == nil {
		l.Set(f)
	}
	return err
}

// Cut lets nothing through between two parts. Their connections stay open and go on when they are mended.
func (s *Stack) Cut(from, to string) error { return s.fault(from, to, link.Faults{Cut: true}) }

// Refuse resets the connections of one part to another, also new ones, until they are mended.
func (s *Stack) Refuse(from, to string) error { return s.fault(from, to, link.Faults{Refuse: true}) }

// Mend ends every fault between two parts.
func (s *Stack) Mend(from, to string) error { return s.fault(from, to, link.Faults{}) }

// CutOff cuts a part off from all others, whichever of them connects to the other.
func (s *Stack) CutOff(name string) error { return s.around(name, link.Faults{Cut: true}) }

// Rejoin ends what CutOff began.
func (s *Stack) Rejoin(name string) error { return s.around(name, link.Faults{}) }

func (s *Stack) around(name string, f link.Faults) error {
	s.mu.Lock()
	var found []*link.Link
	for w, l := range s.links {
		if w.from == name || w.to == name {
			found = append(found, l)
		}
	}
	s.mu.Unlock()
	if len(found) == 0 {
		return fmt.Errorf("no link leads from or to %s", name)
	}
	for _, l := range found {
		l.Set(f)
	}
	return nil
}
