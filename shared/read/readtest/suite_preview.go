package readtest

import (
	"context"
	"fmt"
	"regexp"
	"testing"

	"svc/shared/content"
	"svc/shared/read"
	"svc/shared/testrand"
)

// PreviewSubject is a subject that shows a release before it is published.
type PreviewSubject interface {
	Subject
	// Preview opens a view of the project as it is, with what the release publishes in its place.
	Preview(ctx context.Context, project content.ProjectID, r Release) (read.View, error)
}

// RunPreviews makes changes by chance, and checks that all that can be read of a preview is what is read of Memory once the release
// is published, but for the number and the time of the release.
func RunPreviews(t *testing.T, s PreviewSubject) {
	g := newGambler(t, s)
	g.real.before = func(r Release) {
		preview, err := s.Preview(t.Context(), g.real.settings.ID, r)
		g.real.must(err)
		defer preview.Close()
		published := g.model.view()
		reads := g.reads()
		reads.questions = g.questions(published, 0)
		alike(t, withoutRelease(answers(t, &reads, preview, 0)), withoutRelease(answers(t, &reads, published, 0)))
	}
	for range min(25*testrand.Scale, 120) {
		if g.change(); t.Failed() {
			return
		}
	}
}

var ofRelease = regexp.MustCompile(`"publishedAt":(null|"[^"]*")|etag:"[^"]*"|svc-release:\d+`)

func withoutRelease(lines []string) []string {
	for i, line := range lines {
		lines[i] = ofRelease.ReplaceAllString(line, "…")
	}
	return lines
}

// PreviewCap checks how many published entries a previewed list is made of: the first most of the default order, and all that is
// staged, whatever the filters and the order of the list.
func PreviewCap(t *testing.T, s PreviewSubject, most uint64) {
	f := newFixture(t, s, 1)
	for n := uint64(0); n < most+20; { // some more than are shown
		var items []Item
		for range min(1000, most+20-n) {
			n++
			items = append(items, f.post(n, fmt.Sprintf("s%d", n)))
		}
		f.publish(items...)
	}
	f.rank(map[uint64]string{3: "b", 2: "a"})
	// Arranged are 2 and 3, and then come the newest: 24 is the last that is shown of those that are published, and 23 is not.
	staged := Release{Release: content.Release{Number: f.release + 1}, Items: []Item{
		f.post(5, "s5"), f.post(most+21, "new"), gone(most + 20), gone(6), f.post(24, "s24-new"),
	}}
	v, err := s.Preview(t.Context(), f.settings.ID, staged)
	f.must(err)
	defer v.Close()
	listed := entries(t, v, 0, 100)
	want := []uint64{2, 3, most + 21}
	for n := most + 19; n >= 23; n-- {
		want = append(want, n)
	}
	want = append(want, 5)
	same(t, "the list", listed, want)
	reads := Reads{Project: f.settings.ID, questions: []question{
		{"/posts/entries", "limit=100&filter[slug][in]=s1,s2,s4,s5,s6,s21,s22,s23,s24,s24-new,new", "all"},
		{"/posts/entries", "limit=3&order=slug&filter[slug][in]=s1,s2,s4,s5,s6,s21,s22,s23,s24,s24-new,new", "all"},
	}}
	lines := answers(t, &reads, v, 0)
	for i, want := range []string{"[2 " + fmt.Sprint(most+21) + " 24 23 5]", "[" + fmt.Sprint(most+21) + " 2 23]", "[24 5]"} {
		var got []uint64
		for _, m := range entryID.FindAllStringSubmatch(lines[i+1], -1) { // behind that of the collections
			got = append(got, number(content.EntryID(m[1])))
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s", lines[i+1], got, want)
		}
	}
	if _, found, err := v.BySlug(t.Context(), "posts", "s1", 0); !found || err != nil {
		t.Errorf("an entry beyond the list by its slug: %v, %v", found, err)
	}
}
