package readtest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"svc/shared/read"
)

// removedAndBack: what was published before a removal is there again, in its order and with its slugs; of the releases in
// between the collection has no schema. What lies at the pins stays where it is.
func removedAndBack(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	f.publish(f.post(1, "a"), f.post(2, "b"), f.post(3, "c"))
	f.rank(map[uint64]string{2: "m"})
	f.publish(f.post(1, "a2"), gone(3))
	f.remove("posts")
	v := f.view()
	if c, found := v.Collection("posts"); found || len(v.Collections()) != 0 {
		t.Errorf("a removed collection is still there: %+v", c)
	}
	wantVersions(t, v, "posts", map[uint64]uint32{0: 0, 1: 1, 2: 1})
	f.put(Version{Name: "pages", Version: 1, Label: "Pages", Canonical: []byte(`{"name":"pages","fields":{"text":{"type":"text"}}}`)})
	f.publish(Item{Entry: Entry(9), Collection: "pages", Revision: Revision(9), SchemaVersion: 1, Fields: `{"text":"x"}`})
	f.put(Shape("posts", 1))
	v = f.view()
	wantVersions(t, v, "posts", map[uint64]uint32{0: 101, 1: 1, 2: 1, 3: 0})
	f.wantEntries(v, 0, 2, 1)
	f.wantEntries(v, 1, 2, 3, 1)
	f.wantSlug(v, "a2", 0, 1)
	f.wantSlug(v, "a", 1, 1)
	f.wantFormer(v, "a", "a2")
	f.publish(f.post(3, "c"), f.post(4, "a"))
	v = f.view()
	wantVersions(t, v, "posts", map[uint64]uint32{0: 101, 1: 1, 2: 1, 3: 0, 4: 101})
	f.wantEntries(v, 4, 2, 4, 3, 1)
	f.wantSlug(v, "a", 4, 4)
}

// wantVersions checks which version of a collection is in force at releases; 0 is none.
func wantVersions(t *testing.T, v read.View, collection string, want map[uint64]uint32) {
	t.Helper()
	for pin, version := range want {
		frame, err := v.Frame(t.Context(), collection, pin)
		if err != nil || frame.Version != version || (frame.Schema != nil) != (version != 0) {
			t.Errorf("at %d %s is at version %d, schema %v, %v; want %d", pin, collection, frame.Version, frame.Schema != nil, err, version)
		}
	}
}

// wholeDeployments deploys two sets in turn, over and over, while others read: what a view shows is one of the sets, and
// its frames are those of that set.
func wholeDeployments(t *testing.T, s Subject) {
	f := newFixture(t, s, 1)
	f.put(Shape("posts", 1), Shape("pages", 5))
	f.publish(f.post(1, "a"))
	f.push++
	sets := []Schema{
		{Collections: []Version{Shape("posts", 7), Shape("notes", 3)}, Removed: []string{"pages"}},
		{Collections: []Version{Shape("posts", 1), Shape("pages", 5)}, Removed: []string{"notes"}},
	}
	want := map[string]bool{"notes/103 posts/107": true, "pages/105 posts/101": true}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for ctx.Err() == nil {
				got, err := shown(context.WithoutCancel(ctx), s.Store(), string(f.settings.ID))
				if err != nil || !want[got] {
					t.Errorf("a view shows %s, %v; that was never deployed", got, err)
					return
				}
			}
		})
	}
	for i := range 60 {
		in := sets[i%2]
		in.Number, in.From = f.push, f.release+1
		f.push++
		f.must(s.PutSchema(t.Context(), f.settings.ID, in))
		if i%20 == 19 {
			f.publish(f.post(uint64(i), ""))
		}
	}
	cancel()
	readers.Wait()
}

// shown describes the collections that a new view shows.
func shown(ctx context.Context, store read.Store, project string) (string, error) {
	v, err := store.Open(ctx, project)
	if err != nil {
		return "", err
	}
	defer v.Close()
	var all []string
	for _, c := range v.Collections() {
		all = append(all, fmt.Sprint(c.Schema.Name, "/", c.Version))
		frame, err := v.Frame(ctx, c.Schema.Name, 0)
		if err != nil {
			return "", err
		}
		if one, found := v.Collection(c.Schema.Name); !found || one.Version != c.Version || frame.Version != c.Version {
			return "", fmt.Errorf("%s is at version %d in the list, at %v alone, its frame at %d", c.Schema.Name, c.Version, one, frame.Version)
		}
	}
	return strings.Join(all, " "), nil
}
