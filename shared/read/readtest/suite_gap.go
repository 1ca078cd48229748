package readtest

import (
	"testing"
	"time"

	"svc/shared/read"
)

// gaps publishes 1, 2, 5 and 9. What lies between was never published: it is found by no number, while a time that
// falls there means the release before it, and everything read at a release is as if numbers had no holes.
func gaps(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	f.publish(f.post(1, "a"), f.post(2, "b"))
	f.publish(f.post(1, "a2"))
	f.skip(2)
	if h := f.view().Head(); h.Number != 2 {
		t.Errorf("before the next release the head is %d", h.Number)
	}
	f.put(posts(2)) // in force from 5 on
	f.set(func(s *Settings) { s.Locales, s.DefaultLocale = []string{"en"}, "en" })
	f.publish(f.post(3, "a"), gone(2))
	f.skip(3)
	f.rank(map[uint64]string{3: "m"})
	f.publish(f.post(2, "c"))
	f.must(s.Settle(t.Context(), timeOf(10)))
	v := f.view()
	if h := v.Head(); h.Number != 9 || !h.PublishedAt.Equal(timeOf(9)) {
		t.Errorf("the head is %+v", h)
	}
	for n := uint64(1); n <= 10; n++ {
		want := n == 1 || n == 2 || n == 5 || n == 9
		r, found, err := v.Release(t.Context(), n)
		if err != nil || found != want || found && (r.Number != n || !r.PublishedAt.Equal(timeOf(n))) {
			t.Errorf("release %d: %+v, %v, %v", n, r, found, err)
		}
	}
	for at, want := range map[time.Time]uint64{timeOf(3): 2, timeOf(5).Add(-time.Millisecond): 2, timeOf(5): 5, timeOf(8): 5, timeOf(9): 9} {
		if r, settled, err := v.ReleaseAt(t.Context(), at); err != nil || r.Number != want || !settled {
			t.Errorf("at %v: release %d, settled %v, %v; want %d", at, r.Number, settled, err, want)
		}
	}
	f.wantEntries(v, 1, 2, 1)
	f.wantEntries(v, 2, 2, 1)
	f.wantEntries(v, 5, 3, 1)
	f.wantEntries(v, 9, 3, 2, 1)
	f.wantEntries(v, 0, 3, 2, 1)
	f.wantSlug(v, "a", 1, 1)
	f.wantSlug(v, "a", 2, 0)
	f.wantSlug(v, "a", 5, 3)
	f.wantFormer(v, "b", "c")
	wantFrame(t, v, 2, 1, "")
	wantFrame(t, v, 5, 2, "en")
	wantFrame(t, v, 9, 2, "en")
}

func wantFrame(t *testing.T, v read.View, pin uint64, version uint32, locale string) {
	t.Helper()
	frame, err := v.Frame(t.Context(), "posts", pin)
	if err != nil || frame.Version != version || frame.DefaultLocale != locale {
		t.Errorf("the frame at %d: version %d, locale %q, %v; want %d, %q", pin, frame.Version, frame.DefaultLocale, err, version, locale)
	}
}
