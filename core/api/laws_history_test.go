package api_test

import (
	"maps"
	"slices"

	"pgregory.net/rapid"

	"svc/shared/content"
)

// history is what was published of a site, and the set that comes next.
type history struct {
	ids     []string
	head    uint64 // the newest release
	touched []touched
	set     string
	staged  map[string]content.Operation
}

// touched are the entries of a release.
type touched struct {
	release uint64
	entries []string
}

// history publishes some releases that create, change, unpublish and delete things.
func (s *site) history(releases int) *history {
	h := &history{}
	for range releases {
		s.stage(h)
		h.head = s.publish(h.set)
		h.touched = append(h.touched, touched{h.head, slices.Sorted(maps.Keys(h.staged))})
	}
	return h
}

// stage stages something in a new set: new things, and something else with some of those that are there. Slugs that things of the
// set give up are there for the others.
func (s *site) stage(h *history) {
	h.set, h.staged = s.set(), map[string]content.Operation{}
	var freed []string
	for _, id := range h.ids {
		e := s.entry(id, "")
		draw := rapid.IntRange(0, 5).Draw(s.t, "leave, edit, unpublish or delete")
		switch {
		case !e.DeletedAt.IsZero() || draw < 2:
			continue
		case draw == 4 && e.Published != nil:
			h.staged[id] = content.OperationUnpublish
			s.ask(nil, "POST", s.path+"/entries/"+id+"/unpublish?changeSetId="+h.set, nil)
		case draw == 5:
			h.staged[id] = content.OperationDelete
			s.ask(nil, "DELETE", s.path+"/entries/"+id+"?changeSetId="+h.set, nil)
		default:
			h.staged[id] = content.OperationUpdate
			base := s.fields(e.Draft)
			next := s.edited(base)
			if len(freed) > 0 && s.things.HasSlug() {
				next[s.slugKey()], freed = leaf(freed[0]), freed[1:]
			}
			s.patch(h.set, id, base, next)
		}
		if e.Published != nil && s.things.HasSlug() {
			was, is := s.fields(e.Published)[s.slugKey()], s.proposed(h.set, id)[s.slugKey()]
			if h.staged[id] != content.OperationUpdate || shownBody(was) != shownBody(is) {
				freed = append(freed, shownBody(was))
			}
		}
	}
	for range rapid.IntRange(0, 2).Draw(s.t, "new things") {
		id := s.create(h.set)
		h.ids, h.staged[id] = append(h.ids, id), content.OperationCreate
	}
	if len(h.staged) == 0 {
		id := s.create(h.set)
		h.ids, h.staged[id] = append(h.ids, id), content.OperationCreate
	}
}
