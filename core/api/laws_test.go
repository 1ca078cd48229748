package api_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"svc/core/wire"
	"svc/shared/content"
	"svc/shared/testrand"
)

// lawCases is how many random sites each law of change sets is tried on, over HTTP. Package diff proves the laws of its own.
const lawCases = 8

// A diff, read page by page, leads from what is published to what a set proposes, item by item.
func TestDiffsLeadFromTheBaseToTheTarget(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	changes := 0
	testrand.CheckFew(t, lawCases, func(t *rapid.T) {
		s := newSite(b, t)
		history := s.history(1)
		s.stage(history)
		changes += s.checkDiff(history)
	})
	if changes == 0 {
		t.Error("no diff has changes")
	}
}

// checkDiff checks the diff of a set that is staged on what is published now, and returns how many changes it has.
func (s *site) checkDiff(h *history) (changes int) {
	items := s.diff(h.set)
	if len(items) != len(h.staged) {
		s.t.Fatalf("the diff has %d items, and %d are staged: %v", len(items), len(h.staged), items)
	}
	for _, i := range items {
		base, target := s.published(i.ResourceID), tree{}
		if i.Operation != h.staged[i.ResourceID] {
			s.t.Fatalf("%s of %s is %s", h.staged[i.ResourceID], i.ResourceID, i.Operation)
		}
		if i.Operation.Publishes() {
			target = s.proposed(h.set, i.ResourceID)
		}
		if got := s.applied(base, i.Changes); shownBody(got) != shownBody(target) {
			s.t.Fatalf("%s\nbecomes %s\nand not %s\nby %s", shownBody(base), shownBody(got), shownBody(target), shownBody(i.Changes))
		}
		for _, c := range i.Changes {
			if s.holds(base, c) || !s.holds(target, c) {
				s.t.Fatalf("%s changes nothing from\n%s\nto %s", shownBody(c), shownBody(base), shownBody(target))
			}
		}
		changes += len(i.Changes)
	}
	return changes
}

// Of edits at distinct places, one side's rebased on the other's are what one author would have made in sequence. What both sides
// made agrees.
func TestRebasedDisjointEditsAreThoseMadeInSequence(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	agreed, replayed := 0, 0
	testrand.CheckFew(t, lawCases, func(t *rapid.T) {
		s := newSite(b, t)
		first := s.set()
		ids := []string{s.create(first), s.create(first)}
		s.publish(first)
		mine, theirs := s.set(), s.set()
		sequence := map[string]tree{}
		for _, id := range ids {
			base, whole := s.published(id), s.set()
			s.patch(whole, id, base, s.edited(base))
			sequence[id] = s.proposed(whole, id)
			changes := s.changes(whole, id)
			s.ask(nil, "POST", s.path+"/change-sets/"+whole+"/close", nil)
			own, others := s.split(changes)
			s.patch(mine, id, base, s.applied(base, own))
			s.patch(theirs, id, base, s.applied(base, others))
		}
		s.publish(theirs)
		for _, item := range s.rebase(mine, "fail") {
			agreed, replayed = agreed+len(item.Agreed), replayed+len(item.Replayed)
		}
		s.publish(mine)
		for _, id := range ids {
			if got := s.published(id); shownBody(got) != shownBody(sequence[id]) {
				t.Fatalf("rebased, the entry is\n%s\nand in sequence\n%s", shownBody(got), shownBody(sequence[id]))
			}
		}
	})
	if t.Logf("%d edits agreed, %d were replayed", agreed, replayed); agreed == 0 || replayed == 0 {
		t.Error("nothing was put to the test")
	}
}

// rebase rebases a set and returns what became of its items.
func (s *site) rebase(set, onConflict string) []wire.RebasedItem {
	var out wire.Envelope[wire.Rebased]
	s.ask(&out, "POST", s.path+"/change-sets/"+set+"/rebase", map[string]string{"onConflict": onConflict})
	return out.Data.Items
}

// A rebase keeps every edit of both sides, but for those of one side where they conflict. By default it is refused exactly where
// some do, and then writes nothing.
func TestRebasesLoseNoEdit(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	clean, conflicting := 0, 0
	testrand.CheckFew(t, lawCases, func(t *rapid.T) {
		s := newSite(b, t)
		first := s.set()
		id := s.create(first)
		s.publish(first)
		base, mine, theirs := s.published(id), s.set(), s.set()
		s.patch(mine, id, base, s.edited(base))
		s.patch(theirs, id, base, s.edited(base))
		own, others := s.changes(mine, id), s.changes(theirs, id)
		s.publish(theirs)
		take := rapid.SampledFrom([]string{"take-mine", "take-theirs"}).Draw(t, "take")
		before := s.entry(id, mine).Draft.Revision
		refused := s.answer("POST", s.path+"/change-sets/"+mine+"/rebase", map[string]string{"onConflict": "fail"})
		if refused.status == 409 && s.entry(id, mine).Draft.Revision != before {
			t.Fatalf("refused, and there is a new draft: %s", refused.body)
		}
		var conflicts []wire.RebaseConflict
		if refused.status == 409 {
			conflicting++
			conflicts = s.rebase(mine, take)[0].Conflicts
		} else {
			clean++
		}
		if (refused.status == 409) != (len(conflicts) > 0) {
			t.Fatalf("%d conflicts: %s", len(conflicts), refused.body)
		}
		s.publish(mine)
		got := s.published(id)
		for side, changes := range map[string][]wire.Change{"take-mine": own, "take-theirs": others} {
			for _, c := range changes {
				if !s.holds(got, c) && (side == take || !s.touches(conflicts, c)) {
					t.Fatalf("%s, and %s is lost, of %s, in\n%s", take, shownBody(c), side, shownBody(got))
				}
			}
		}
	})
	if t.Logf("%d rebases without conflicts, %d with some", clean, conflicting); clean == 0 || conflicting == 0 {
		t.Error("nothing was put to the test")
	}
}

// A published revert restores what everyone read before the release, and the revert of that what they read after it. An older
// release is reverted with force, and then what it touched is as it was, and everything else as it is.
func TestRevertsRestoreTheReleaseBefore(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	forced := 0
	testrand.CheckFew(t, lawCases, func(t *rapid.T) {
		s := newSite(b, t)
		h := s.history(rapid.IntRange(2, 4).Draw(t, "releases"))
		for range 2 {
			s.revert(h, h.head, false)
			s.same(s.at(h.head), s.at(h.head-2), nil)
		}
		touched := h.touched[rapid.IntRange(0, len(h.touched)-1).Draw(t, "older")]
		before := s.at(h.head)
		if !s.revert(h, touched.release, true) {
			return
		}
		forced++
		former := s.at(touched.release - 1)
		s.same(s.at(h.head), before, touched.entries)
		now := s.at(h.head)
		for _, id := range touched.entries {
			if now[id] != former[id] {
				t.Fatalf("%s is\n%s\nand not as before release %d\n%s", id, now[id], touched.release, former[id])
			}
		}
	})
	if t.Logf("%d older releases were reverted", forced); forced == 0 {
		t.Error("no older release was reverted")
	}
}

// same checks that everything but some entries reads the same.
func (s *site) same(got, want map[string]string, but []string) {
	rest := func(id string, _ string) bool { return slices.Contains(but, id) }
	got, want = maps.Clone(got), maps.Clone(want)
	maps.DeleteFunc(got, rest)
	maps.DeleteFunc(want, rest)
	if !maps.Equal(got, want) {
		s.t.Fatalf("there is\n%s\nand not\n%s", shownBody(got), shownBody(want))
	}
}

// revert publishes the revert of a release. With force it may be refused, for slugs that others have by now, or because nothing is
// left of it.
func (s *site) revert(h *history, release uint64, force bool) bool {
	a := s.answer("POST", fmt.Sprintf("%s/releases/%d/revert", s.path, release), map[string]bool{"force": force})
	if a.status == 409 && force {
		return false
	}
	a.is(201)
	h.set = a.at("data.id")
	h.staged = map[string]content.Operation{}
	for _, i := range s.diff(h.set) {
		h.staged[i.ResourceID] = i.Operation
	}
	s.checkDiff(h)
	h.head = s.publish(h.set)
	return true
}
