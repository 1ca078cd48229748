package store

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"svc/edge/store/layout"
	"svc/edge/store/plan"
	"svc/shared/content"
	"svc/shared/read"
	"svc/shared/read/readtest"
	"svc/shared/testrand"
)

// TestSlugCycles passes slugs on in rings of 2 to 30 entries, each inside one release, and looks at every pin.
func TestSlugCycles(t *testing.T) {
	t.Parallel()
	for _, n := range []uint64{2, 3, 30} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			p := newProject(t, newSubject(t, vfs.NewMem()), 1)
			const turns = 5
			for turn := range uint64(turns) {
				var items []readtest.Item
				for i := range n {
					items = append(items, p.post(i, fmt.Sprintf("s%d", (i+turn)%n)))
				}
				p.publish(items...)
			}
			for range 2 {
				v := p.view()
				for turn := range uint64(turns) {
					for i := range n {
						slug := fmt.Sprintf("s%d", (i+turn)%n)
						row, found, err := v.BySlug(t.Context(), "posts", slug, turn+1)
						if err != nil || !found || row.Entry != readtest.Entry(i) || row.Slug != slug {
							t.Fatalf("%s at release %d: %v %v %v, want entry %d", slug, turn+1, row.Entry, found, err, i)
						}
					}
				}
				v.Close()
				p.log().load(t, p.s)
			}
		})
	}
}

// TestManyRepublishes republishes a few entries very often. The head index must not notice, full live sets must be
// written now and then, and every pin must read right, however it is read.
func TestManyRepublishes(t *testing.T) {
	t.Parallel()
	for _, sort := range []bool{false, true} {
		t.Run(fmt.Sprint("sort ", sort), func(t *testing.T) {
			sub := &subject{t: t, feeds: map[string]*feed{}}
			if sort {
				sub.tune = smallTuning()
				sub.tune.lists.Way = plan.AlwaysCollect
			}
			sub.open(vfs.NewMem())
			defer sub.s.Close()
			p := newProject(t, sub, 1)
			const entries, releases = 10, 500
			for i := range uint64(releases) {
				p.publish(p.post(i%entries, fmt.Sprintf("post-%d", i%entries)))
			}
			for range 2 {
				v := p.view()
				for pin := uint64(1); pin <= releases; pin += 7 {
					wantRepublished(t, v, pin, entries)
				}
				wantRepublished(t, v, releases, entries)
				v.Close()
				wantSound(t, sub.s, string(p.id))
				if full := len(keysIn(t, sub.s, layout.TableLiveSet)); full == 0 || full > releases/64 {
					t.Errorf("%d full sets were written", full)
				}
				p.log().load(t, sub.s)
			}
		})
	}
}

// TestLargeFieldsAreKeptCompressed: those of every document that has them, whether releases or a load wrote it.
func TestLargeFieldsAreKeptCompressed(t *testing.T) {
	t.Parallel()
	p := newProject(t, newSubject(t, vfs.NewMem()), 1)
	for i := range 12 {
		it := p.post(uint64(i%3), fmt.Sprintf("post-%d", i%3))
		if i%4 != 0 {
			it.Fields = fmt.Sprintf(`{"title":"%s"}`, strings.Repeat(fmt.Sprint(i%10, " "), 1000))
		}
		p.publish(it)
	}
	for range 2 {
		for _, table := range []layout.Table{layout.TableGzip, layout.TableZstd} {
			if kept := len(keysIn(t, p.s, table)); kept != 9 {
				t.Errorf("the fields of %d documents are kept compressed in table %x, want 9", kept, table)
			}
		}
		wantSound(t, p.s, string(p.id))
		p.log().load(t, p.s)
	}
}

// wantRepublished checks a list of entries that were republished one after another, once each release.
func wantRepublished(t *testing.T, v read.View, pin, entries uint64) {
	t.Helper()
	rows := listAll(t, v, "posts", pin, 4)
	if uint64(len(rows)) != min(pin, entries) {
		t.Fatalf("release %d has %d entries", pin, len(rows))
	}
	for _, row := range rows {
		b, _ := content.Bytes(row.Entry)
		n := uint64(b[15])
		last := (pin-1-n)/entries*entries + n + 1 // the newest release up to pin that published it
		if want := fmt.Sprintf(`{"title":"%d in release %d"}`, n, last); string(row.Fields) != want {
			t.Fatalf("at release %d entry %d reads %s, want %s", pin, n, row.Fields, want)
		}
	}
}

func keysIn(t *testing.T, s *Store, in layout.Table) (keys [][]byte) {
	t.Helper()
	it, err := s.db.NewIter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		if layout.Table(it.Key()[8]) == in {
			keys = append(keys, append([]byte{}, it.Key()...))
		}
	}
	return keys
}

// TestDeletedEverything takes everything away, in one release: the head is empty and release 1 still reads whole.
func TestDeletedEverything(t *testing.T) {
	t.Parallel()
	p := newProject(t, newSubject(t, vfs.NewMem()), 1)
	n := 1000 * testrand.Scale
	var in, out []readtest.Item
	for i := range uint64(n) {
		in = append(in, p.post(i, fmt.Sprintf("post-%d", i)))
		out = append(out, gone(i))
	}
	p.publish(in...)
	p.publish(out[:n/2]...)
	v := p.view()
	if rows := listAll(t, v, "posts", 0, 100); len(rows) != n/2 || rows[0].Entry != readtest.Entry(uint64(n-1)) {
		t.Errorf("half of it is %d entries", len(rows))
	}
	v.Close()
	p.publish(out[n/2:]...)
	for range 2 {
		v := p.view()
		for pin, want := range []int{0, n, n / 2, 0} {
			if got := len(listAll(t, v, "posts", uint64(pin), 100)); got != want {
				t.Errorf("at %d there are %d entries, want %d", pin, got, want)
			}
		}
		if _, found, err := v.BySlug(t.Context(), "posts", "post-7", 0); found || err != nil {
			t.Error("a deleted entry answers to its slug", err)
		}
		v.Close()
		wantSound(t, p.s, string(p.id))
		p.log().wantSum(t, p.s)
		p.log().load(t, p.s)
	}
	p.publish(p.post(7, "post-7"))
	v = p.view()
	defer v.Close()
	if got := len(listAll(t, v, "posts", 0, 100)); got != 1 {
		t.Errorf("after its return there are %d entries", got)
	}
}

// TestLargeReleaseShowsAtOnce publishes large releases while readers list: every answer is of one release.
func TestLargeReleaseShowsAtOnce(t *testing.T) {
	t.Parallel()
	p := newProject(t, newSubject(t, vfs.NewMem()), 1)
	const n, releases = 500, 6
	all := func() (items []readtest.Item) {
		for i := range uint64(n) {
			items = append(items, p.post(i, fmt.Sprintf("post-%d", i)))
		}
		return items
	}
	p.publish(all()...)
	var readers sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				v, err := p.s.Open(t.Context(), "shop-1")
				if err != nil {
					t.Error(err)
					return
				}
				head := v.Head().Number
				for i, row := range listAll(t, v, "posts", 0, 100) {
					if want := fmt.Sprintf(`{"title":"%d in release %d"}`, n-1-i, head); string(row.Fields) != want {
						t.Errorf("at release %d row %d reads %s", head, i, row.Fields)
					}
				}
				v.Close()
			}
		})
	}
	for range releases {
		p.publish(all()...)
	}
	close(stop)
	readers.Wait()
}

// TestSettledTimes shows that a view never vouches for a time by what was applied after it was opened.
func TestSettledTimes(t *testing.T) {
	t.Parallel()
	p := newProject(t, newSubject(t, vfs.NewMem()), 1)
	p.publish(p.post(1, "a"))
	v := p.view()
	defer v.Close()
	at := timeOf(2)
	check := func(v read.View, release uint64, settled bool) {
		t.Helper()
		r, s, err := v.ReleaseAt(t.Context(), at)
		if err != nil || r.Number != release || s != settled {
			t.Errorf("at %v: release %d, settled %v, %v; want %d, %v", at, r.Number, s, err, release, settled)
		}
	}
	check(v, 1, false)
	p.must(p.Settle(t.Context(), at))
	check(v, 1, false)
	p.must(p.Settle(t.Context(), at.Add(1e6)))
	check(v, 1, true)
	p.publish(p.post(2, "b"))
	check(v, 1, false) // the heartbeat may have counted on release 2
	now := p.view()
	defer now.Close()
	check(now, 2, true)
}

func timeOf(release uint64) time.Time { return time.UnixMilli(int64(release) * 1000).UTC() }
