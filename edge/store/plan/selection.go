package plan

import (
	"slices"

	"svc/edge/store/layout"
)

// selection keeps the first of many positions, in the default order: a heap with the last of them on top.
type selection struct {
	positions []layout.Position
	want      int
}

func (s *selection) offer(h layout.Position) {
	if len(s.positions) < s.want {
		s.positions = append(s.positions, h)
		s.up(len(s.positions) - 1)
		return
	}
	if h.Compare(&s.positions[0]) < 0 {
		s.positions[0] = h
		s.down(0)
	}
}

func (s *selection) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if s.positions[i].Compare(&s.positions[parent]) <= 0 {
			return
		}
		s.positions[i], s.positions[parent] = s.positions[parent], s.positions[i]
		i = parent
	}
}

func (s *selection) down(i int) {
	for {
		last := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(s.positions); child++ {
			if s.positions[child].Compare(&s.positions[last]) > 0 {
				last = child
			}
		}
		if last == i {
			return
		}
		s.positions[i], s.positions[last] = s.positions[last], s.positions[i]
		i = last
	}
}

// sorted returns what was kept, in order.
func (s *selection) sorted() []layout.Position {
	slices.SortFunc(s.positions, func(a, b layout.Position) int { return a.Compare(&b) })
	return s.positions
}
