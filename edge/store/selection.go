package store

import (
	"slices"

	"svc/edge/store/layout"
)

// selection keeps the first of many hits, in the default order: a heap with the last of them on top.
type selection struct {
	hits []layout.Position
	want int
}

func (s *selection) offer(h layout.Position) {
	if len(s.hits) < s.want {
		s.hits = append(s.hits, h)
		s.up(len(s.hits) - 1)
		return
	}
	if h.Compare(&s.hits[0]) < 0 {
		s.hits[0] = h
		s.down(0)
	}
}

func (s *selection) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if s.hits[i].Compare(&s.hits[parent]) <= 0 {
			return
		}
		s.hits[i], s.hits[parent] = s.hits[parent], s.hits[i]
		i = parent
	}
}

func (s *selection) down(i int) {
	for {
		last := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(s.hits); child++ {
			if s.hits[child].Compare(&s.hits[last]) > 0 {
				last = child
			}
		}
		if last == i {
			return
		}
		s.hits[i], s.hits[last] = s.hits[last], s.hits[i]
		i = last
	}
}

// sorted returns what was kept, in order.
func (s *selection) sorted() []layout.Position {
	slices.SortFunc(s.hits, func(a, b layout.Position) int { return a.Compare(&b) })
	return s.hits
}
