package readtest

import "testing"

// pinned checks that a store tells the release that a project is pinned to, and nothing else changes for it: what a pin
// means is the engine's business. Old slugs lead to what they led to at the pin.
func pinned(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	f.publish(f.post(1, "a"))
	f.publish(f.post(1, "b"))
	f.publish(f.post(1, "c"))
	before := f.view()
	f.set(func(s *Settings) { s.Pinned = 2 })
	v := f.view()
	if v.Project().Pinned != 2 || v.Head().Number != 3 || before.Project().Pinned != 0 {
		t.Errorf("pinned to %d with head %d, before that to %d", v.Project().Pinned, v.Head().Number, before.Project().Pinned)
	}
	f.wantSlug(v, "c", 0, 1)
	f.wantSlug(v, "b", 2, 1)
	f.wantSlug(v, "c", 2, 0)
	f.wantFormer(v, "a", "c")
	f.wantFormerAt(v, "a", 3, "c")
	f.wantFormerAt(v, "a", 2, "b")
	f.wantFormerAt(v, "b", 2, "")
	f.wantFormerAt(v, "c", 2, "")
	f.wantFormerAt(v, "a", 1, "")
	f.publish(f.post(2, "d")) // publishing goes on
	v = f.view()
	if v.Project().Pinned != 2 || v.Head().Number != 4 {
		t.Errorf("after a release pinned to %d with head %d", v.Project().Pinned, v.Head().Number)
	}
	f.set(func(s *Settings) { s.Pinned = 0 })
	if p := f.view().Project().Pinned; p != 0 {
		t.Errorf("unpinned, and pinned to %d", p)
	}
}
