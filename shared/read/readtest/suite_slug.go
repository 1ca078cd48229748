package readtest

import (
	"testing"
)

func comeAndGo(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	deleted := gone(2)
	deleted.Deleted = true
	f.publish(f.post(1, "a"), f.post(2, "b"), f.post(3, "c"))
	f.publish(gone(1), deleted)
	f.publish(f.post(1, "a-again"), f.post(4, "b"))
	f.publish(f.post(2, "b-restored"))
	v := f.view()
	f.wantEntries(v, 1, 3, 2, 1)
	f.wantEntries(v, 2, 3)
	f.wantEntries(v, 3, 4, 3, 1)
	f.wantEntries(v, 4, 4, 3, 2, 1)
	f.wantEntries(v, 0, 4, 3, 2, 1)
	for _, c := range []struct {
		slug  string
		pin   uint64
		entry uint64
	}{
		{"a", 1, 1}, {"a", 2, 0}, {"a", 3, 0}, {"a", 0, 0}, {"a-again", 2, 0}, {"a-again", 3, 1}, {"a-again", 0, 1},
		{"b", 1, 2}, {"b", 2, 0}, {"b", 3, 4}, {"b", 4, 4}, {"b-restored", 3, 0}, {"b-restored", 4, 2},
		{"c", 1, 3}, {"c", 4, 3}, {"c", 0, 3}, {"nobody", 0, 0},
	} {
		f.wantSlug(v, c.slug, c.pin, c.entry)
	}
	for _, c := range []struct{ n, pin, release uint64 }{
		{1, 1, 1}, {1, 2, 0}, {1, 3, 3}, {1, 4, 3}, {2, 2, 0}, {2, 3, 0}, {2, 4, 4}, {2, 0, 4}, {3, 4, 1}, {9, 0, 0},
	} {
		row, found, err := v.ByID(t.Context(), "posts", Entry(c.n), c.pin)
		f.must(err)
		if found != (c.release != 0) || found && row.PublishedAt != timeOf(c.release).UnixMilli() {
			t.Errorf("entry %d at %d: %v, published %d; want release %d", c.n, c.pin, found, row.PublishedAt, c.release)
		}
	}
}

func swap(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	f.publish(f.post(1, "a"), f.post(2, "b"), f.post(3, "c"))
	f.publish(f.post(1, "b"), f.post(2, "a"))
	f.publish(f.post(1, "c"), f.post(2, "b"), f.post(3, "a")) // a round of three
	v := f.view()
	for pin, want := range [][3]uint64{1: {1, 2, 3}, 2: {2, 1, 3}, 3: {3, 2, 1}} {
		if pin == 0 {
			want = [3]uint64{3, 2, 1}
		}
		for i, slug := range []string{"a", "b", "c"} {
			f.wantSlug(v, slug, uint64(pin), want[i])
		}
	}
}

func formerSlugs(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	f.publish(f.post(1, "first"), f.post(2, "other"), f.post(3, "shared"))
	f.publish(f.post(1, "second"))
	f.publish(f.post(1, "third"))
	v := f.view()
	f.wantFormer(v, "first", "third")
	f.wantFormer(v, "second", "third")
	f.wantFormer(v, "third", "")
	f.wantFormer(v, "other", "")
	f.wantFormer(v, "never", "")
	f.publish(f.post(3, "three"))
	f.publish(f.post(2, "shared"))
	f.publish(f.post(2, "two"))
	f.wantFormer(f.view(), "shared", "two") // the last holder wins
	f.publish(gone(2))
	v = f.view()
	f.wantFormer(v, "shared", "three") // and among those that are live
	f.wantFormer(v, "two", "")
	f.wantFormer(v, "other", "")
	f.publish(f.post(2, "back"))
	v = f.view()
	f.wantFormer(v, "two", "back")
	f.wantFormer(v, "shared", "back")
}

func stillView(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	f.publish(f.post(1, "a"), f.post(2, "b"))
	f.rank(map[uint64]string{1: "m"})
	old := f.view()
	f.wantEntries(old, 0, 1, 2)
	f.publish(f.post(1, "z"), gone(2), f.post(3, "c"))
	f.rank(map[uint64]string{3: "a", 1: ""})
	f.put(posts(2))
	f.set(func(s *Settings) { s.Locales, s.DefaultLocale, s.PublicAPIEnabled = []string{"en"}, "en", false })
	f.wantEntries(old, 0, 1, 2)
	f.wantEntries(old, 1, 1, 2)
	f.wantSlug(old, "a", 0, 1)
	f.wantSlug(old, "z", 0, 0)
	if c, _ := old.Collection("posts"); old.Head().Number != 1 || c.Version != 1 || !old.Project().PublicAPIEnabled {
		t.Errorf("the old view shows release %d, version %d, %+v", old.Head().Number, c.Version, old.Project())
	}
	if frame, err := old.Frame(t.Context(), "posts", 0); err != nil || frame.Version != 1 || len(frame.Locales) != 0 {
		t.Errorf("the old view's frame is %+v, %v", frame, err)
	}
	v := f.view()
	f.wantEntries(v, 0, 3, 1)
	f.wantSlug(v, "z", 0, 1)
}
