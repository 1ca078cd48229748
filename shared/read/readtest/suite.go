package readtest

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"svc/shared/read"
)

// Run checks that a store does what read.Store and read.View say. Every test gets a subject of its own.
func Run(t *testing.T, open func(t *testing.T) Subject) {
	for name, test := range map[string]func(t *testing.T, s Subject){
		"a project opens by id and by slug":                    projects,
		"projects do not see each other":                       neighbours,
		"releases by number and by time":                       releases,
		"numbers that were left out are no releases":           gaps,
		"a project is pinned and unpinned":                     pinned,
		"live collections and their labels":                    collections,
		"a pin has the schema and locales of its release":      frames,
		"a collection is removed and comes back":               removedAndBack,
		"a deployment is seen whole":                           wholeDeployments,
		"rows come back as they were published":                rowsAsPublished,
		"arranged entries first, then the newest":              defaultOrder,
		"the editorial order is live at every pin":             liveRanks,
		"a page starts after a key whose row is gone":          goneKeys,
		"a page of large rows ends early":                      largeRows,
		"a page of large matches ends early":                   largeMatches,
		"a walk goes on while releases land":                   walkOn,
		"unpublish, delete and return":                         comeAndGo,
		"slugs swap within one release":                        swap,
		"an old slug leads to the newest live entry with it":   formerSlugs,
		"every operator on every type":                         filters,
		"filters and orders in a locale":                       localizedFilters,
		"filters follow schemas":                               changingFields,
		"filters while schemas are deployed":                   filteredDeployments,
		"ties and missing values in the order of a field":      ties,
		"a list in the order of one of two ranges":             twoRanges,
		"the order of long texts":                              longTexts,
		"ordered and filtered walks go on while releases land": orderedWalks,
		"cursors belong to filters and an order":               boundCursors,
		"large entries in gzip":                                codings,
		"what a search finds":                                  searches,
		"where phrases lie":                                    phrases,
		"what searches find in pages of a real site":           docsSearches,
		"every revision of an entry":                           revisions,
		"the newest backlinks first":                           backlinks,
		"a view does not change":                               stillView,
		"random changes against the model":                     random,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func projects(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	for _, ref := range []string{string(Project(1)), "shop-1"} {
		v, err := s.Store().Open(t.Context(), ref)
		f.must(err)
		got := *v.Project()
		v.Close()
		if got.Locales = slices.Clip(got.Locales); len(got.Locales) == 0 {
			got.Locales = nil
		}
		if !reflect.DeepEqual(got, f.settings.Project) {
			t.Errorf("%s: %+v, want %+v", ref, got, f.settings.Project)
		}
	}
	f.missing(string(Project(2)))
	f.missing("shop")
	f.missing("")
	f.set(func(s *Settings) {
		s.PublicAPIEnabled, s.AllowedOrigins, s.Locales, s.DefaultLocale = false, []string{}, []string{"en", "de"}, "en"
	})
	if p := f.view().Project(); p.PublicAPIEnabled || len(p.AllowedOrigins) != 0 || !slices.Equal(p.Locales, []string{"en", "de"}) || p.DefaultLocale != "en" {
		t.Errorf("the new settings are not live: %+v", p)
	}
	f.set(func(s *Settings) { s.Deleted = true })
	f.missing(string(Project(1)))
	f.missing("shop-1")
}

func neighbours(t *testing.T, s Subject) {
	a, b := newFixture(t, s, 1), newFixture(t, s, 2)
	a.publish(a.post(1, "same"))
	b.publish(b.post(2, "same"))
	b.publish(b.post(3, "other"))
	b.rank(map[uint64]string{2: "m"})
	va, vb := a.view(), b.view()
	a.wantEntries(va, 0, 1)
	b.wantEntries(vb, 0, 2, 3)
	a.wantSlug(va, "same", 0, 1)
	b.wantSlug(vb, "same", 0, 2)
	a.wantSlug(va, "other", 0, 0)
	if _, found, err := va.ByID(t.Context(), "posts", Entry(2), 0); found || err != nil {
		t.Errorf("an entry of another project: %v, %v", found, err)
	}
	if va.Head().Number != 1 || vb.Head().Number != 2 {
		t.Error("releases are numbered per project")
	}
}

func releases(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	v := f.view()
	if v.Head().Number != 0 {
		t.Errorf("before the first release the head is %d", v.Head().Number)
	}
	if r, _, err := v.ReleaseAt(t.Context(), epoch); r.Number != 0 || err != nil {
		t.Errorf("before the first release: %+v, %v", r, err)
	}
	for n := uint64(1); n <= 3; n++ {
		f.publish(f.post(n, ""))
	}
	f.must(s.Settle(t.Context(), timeOf(4)))
	v = f.view()
	if h := v.Head(); h.Number != 3 || !h.PublishedAt.Equal(timeOf(3)) {
		t.Errorf("the head is %+v", h)
	}
	for n, want := range map[uint64]bool{0: false, 1: true, 3: true, 4: false, 1 << 62: false} {
		r, found, err := v.Release(t.Context(), n)
		if err != nil || found != want || found && (r.Number != n || !r.PublishedAt.Equal(timeOf(n))) {
			t.Errorf("release %d: %+v, %v, %v", n, r, found, err)
		}
	}
	for _, c := range []struct {
		at      time.Time
		release uint64
		settled bool
	}{
		{timeOf(1).Add(-time.Millisecond), 0, true},
		{timeOf(1), 1, true},
		{timeOf(1).Add(time.Nanosecond), 1, true},
		{timeOf(2).Add(-time.Nanosecond), 1, true},
		{timeOf(2), 2, true},
		{timeOf(3).Add(time.Second), 3, true},
		{time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), 0, true},
		{time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), 0, true},
		{time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), 3, false},
	} {
		r, settled, err := v.ReleaseAt(t.Context(), c.at)
		if err != nil || r.Number != c.release || settled != c.settled {
			t.Errorf("at %v: release %d, settled %v, %v; want %d, %v", c.at, r.Number, settled, err, c.release, c.settled)
		}
	}
}

func collections(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	private := Version{Name: "notes", Version: 1, Label: "Notes", Canonical: []byte(`{"name":"notes","fields":{"text":{"type":"text"}}}`)}
	f.put(private)
	want := func(names ...string) {
		t.Helper()
		v := f.view()
		var got []string
		for _, c := range v.Collections() {
			got = append(got, c.Schema.Name+"/"+c.Schema.Label)
			if one, found := v.Collection(c.Schema.Name); !found || one.Version != c.Version || one.Schema.Label != c.Schema.Label {
				t.Errorf("%s alone is %+v, %v", c.Schema.Name, one, found)
			}
		}
		if !slices.Equal(got, names) {
			t.Errorf("collections %v, want %v", got, names)
		}
	}
	want("notes/Notes", "posts/Posts")
	f.put(Version{Name: "posts", Version: 1, Label: "Articles", Canonical: posts(1).Canonical})
	want("notes/Notes", "posts/Articles")
	f.remove("notes")
	want("posts/Articles")
	if _, found := f.view().Collection("notes"); found {
		t.Error("a removed collection is still there")
	}
	f.put(private)
	want("notes/Notes", "posts/Articles")
}

func frames(t *testing.T, s Subject) {
	f := newFixture(t, s, 1) // posts 1, no locales
	f.publish(f.post(1, "a"))
	f.put(posts(2))
	f.set(func(s *Settings) { s.Locales, s.DefaultLocale = []string{"en"}, "en" })
	f.publish(f.post(2, "b"))
	f.put(posts(3))
	f.put(posts(4)) // 3 is never published under
	f.set(func(s *Settings) { s.Locales, s.DefaultLocale = []string{"en", "de"}, "de" })
	f.publish(f.post(3, "c"))
	f.put(posts(1), Version{Name: "late", Version: 1, Label: "Late", Canonical: []byte(`{"name":"late","fields":{"x":{"type":"text"}}}`)})
	f.publish(f.post(4, "d"))
	f.remove("late")
	f.set(func(s *Settings) { s.Locales, s.DefaultLocale = nil, "" })

	v := f.view()
	for _, c := range []struct {
		collection string
		pin        uint64
		version    uint32 // 0: no schema
		locales    string
	}{
		{"posts", 1, 1, ""}, {"posts", 2, 2, "en"}, {"posts", 3, 4, "en de"}, {"posts", 4, 1, "en de"}, {"posts", 0, 1, ""},
		{"late", 3, 0, "en de"}, {"late", 4, 1, "en de"}, {"late", 0, 0, ""},
		{"never", 2, 0, "en"},
	} {
		frame, err := v.Frame(t.Context(), c.collection, c.pin)
		f.must(err)
		locales := ""
		for i, l := range frame.Locales {
			if i > 0 {
				locales += " "
			}
			locales += l
		}
		if frame.Version != c.version || (frame.Schema != nil) != (c.version != 0) || locales != c.locales {
			t.Errorf("%s at %d: version %d, schema %v, locales %q; want %d, %q", c.collection, c.pin, frame.Version, frame.Schema != nil, locales, c.version, c.locales)
		}
		if c.collection == "posts" && *frame.Schema.Field("title").MaxLength != int(100+c.version) {
			t.Errorf("posts at %d has the schema of another version", c.pin)
		}
		if c.pin == 3 && frame.DefaultLocale != "de" || c.pin == 2 && frame.DefaultLocale != "en" {
			t.Errorf("the default locale at %d is %q", c.pin, frame.DefaultLocale)
		}
	}
}

func rowsAsPublished(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	f.put(Version{Name: "notes", Version: 7, Label: "Notes", Canonical: []byte(`{"name":"notes","fields":{"text":{"type":"text"},"n":{"type":"number"}}}`)})
	note := Item{
		Entry: Entry(9), Collection: "notes", Revision: Revision(9), SchemaVersion: 7,
		Fields: `{"text":"<b>\"žluťoučký\" & \\ \u0001 ` + "\u2028" + `</b>","n":123456789012345678901234567890.10}`,
	}
	f.publish(f.post(1, "a"), note)
	f.publish(f.post(2, "b"))
	v := f.view()
	want := read.Row{
		Entry: note.Entry, Revision: note.Revision, PublishedAt: timeOf(1).UnixMilli(), SchemaVersion: 7, Fields: []byte(note.Fields),
	}
	for _, pin := range []uint64{0, 1, 2} {
		row, found, err := v.ByID(t.Context(), "notes", Entry(9), pin)
		row.Key = read.Key{}
		if err != nil || !found || !reflect.DeepEqual(row, want) {
			t.Errorf("at %d: %+v, %v, %v\nwant %+v", pin, row, found, err, want)
		}
		rows := walk(t, v, "notes", pin, 5)
		if len(rows) != 1 || !reflect.DeepEqual(rows[0].Key, read.Key{Missing: true, Entry: Entry(9)}) {
			t.Fatalf("the list at %d: %+v", pin, rows)
		}
		rows[0].Key = read.Key{}
		if !reflect.DeepEqual(rows[0], want) {
			t.Errorf("the list at %d: %+v", pin, rows)
		}
	}
	if _, found, err := v.ByID(t.Context(), "posts", Entry(9), 0); found || err != nil {
		t.Errorf("an entry in another collection: %v, %v", found, err)
	}
	if _, found, err := v.BySlug(t.Context(), "notes", "", 0); found || err != nil {
		t.Errorf("an empty slug: %v, %v", found, err)
	}
}
