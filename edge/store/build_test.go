package store

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"svc/edge/store/index"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// moody is a project whose entries have moods, which schemas come to know of later.
type moody struct {
	t       *testing.T
	sub     *subject
	feed    *feed
	release uint64
	version uint32
}

func newMoody(t *testing.T, fs vfs.FS, entries int, set func(*tuning)) *moody {
	m := newEmpty(t, fs, set)
	m.deploy(`"title":{"type":"text"}`)
	m.publish(0, entries)
	return m
}

// newEmpty is a project without a schema.
func newEmpty(t *testing.T, fs vfs.FS, set func(*tuning)) *moody {
	m := &moody{t: t}
	tune := smallTuning()
	set(tune)
	m.sub = &subject{t: t, feeds: map[string]*feed{}, tune: tune}
	m.sub.open(fs)
	t.Cleanup(func() {
		if err := m.sub.s.Close(); err != nil {
			t.Error(err)
		}
	})
	m.feed = m.sub.feed(string(readtest.Project(1)))
	m.feed.apply(t, m.sub.s, record.KindProject, &recordpb.Project{
		Id: m.feed.id, Organization: string(readtest.Organization(1)), Slug: "shop", PublicApiEnabled: true, FromRelease: 1, CursorKey: make([]byte, 32),
	})
	return m
}

func (m *moody) deploy(fields string) {
	m.version++
	m.feed.apply(m.t, m.sub.s, record.KindSchema, &recordpb.Schema{FromRelease: m.release + 1, Collections: []*recordpb.CollectionVersion{{
		Name: "posts", Version: m.version, Label: "posts", Canonical: fmt.Appendf(nil, `{"name":"posts","visibility":"public","fields":{%s}}`, fields),
	}}})
}

// publish publishes some entries, with other moods each time.
func (m *moody) publish(from, to int) {
	m.release++
	r := &recordpb.Release{Number: m.release, PublishedMs: int64(m.release) * 1000}
	for i := from; i < to; i++ {
		r.Items = append(r.Items, &recordpb.Item{
			Operation: recordpb.Operation_OPERATION_PUT, Entry: entryText(uint64(i)), Collection: "posts", SchemaVersion: m.version,
			Revision: string(readtest.Revision(m.release)), Fields: fmt.Appendf(nil, `{"title":"%d","mood":%d}`, i, (uint64(i)+m.release)%7),
		})
	}
	m.feed.apply(m.t, m.sub.s, record.KindRelease, r)
}

// compare holds a filtered list against what the documents of the same view say; false where no one knows of moods there.
func (m *moody) compare(ctx context.Context, pin bool, mood int) (bool, error) {
	v, err := m.sub.s.Open(ctx, "shop")
	if err != nil {
		return false, err
	}
	defer v.Close()
	q := read.ListQuery{Collection: "posts", Limit: 30}
	if pin {
		q.Pin = v.Head().Number
	}
	frame, err := v.Frame(ctx, "posts", q.Pin)
	if err != nil || frame.Schema.Field("mood") == nil {
		return false, err
	}
	wanted := q
	q.Frame = &frame
	filters := []query.Filter{{Field: "mood", Text: fmt.Sprint(mood)}}
	if q.Conditions, q.Order, err = query.Bind(frame.Schema, frame.ValueLocales(), "", filters, query.OrderBy{}); err != nil {
		return false, err
	}
	got, err := v.List(ctx, q)
	if err != nil {
		return false, err
	}
	text := rowsText(got)
	want := read.Page{}
	for wanted.Limit = 100; len(want.Rows) <= q.Limit; {
		page, err := v.List(ctx, wanted)
		if err != nil {
			return false, err
		}
		for _, row := range page.Rows {
			if in, err := q.Conditions.Match(row.Fields); err != nil {
				return false, err
			} else if in {
				want.Rows = append(want.Rows, row)
			}
		}
		if !page.More {
			break
		}
		after := page.Rows[len(page.Rows)-1].Key
		wanted.After = &after
	}
	if want.More = len(want.Rows) > q.Limit; want.More {
		want.Rows = want.Rows[:q.Limit]
	}
	if text != rowsText(want) {
		return false, fmt.Errorf("mood %d at release %d:\n%s\nwant\n%s", mood, v.Head().Number, text, rowsText(want))
	}
	return true, nil
}

func (m *moody) isBuilt() bool {
	v, err := m.sub.s.Open(m.t.Context(), "shop")
	if err != nil {
		m.t.Fatal(err)
	}
	defer v.Close()
	b := v.(*view)
	c := b.meta.places["posts"]
	return c.live != nil && c.listed.Definitions[index.ValuesOf(c.live.Schema.Field("mood"))] != nil
}

func (m *moody) awaitBuilt() {
	for !m.isBuilt() {
		time.Sleep(time.Millisecond)
	}
}

// While a deployment's index is built, and releases go on, no answer is wrong or missing.
func TestDeploymentsUnderReads(t *testing.T) {
	t.Parallel()
	m := newMoody(t, vfs.NewMem(), 500, func(tune *tuning) { tune.buildRows = 25 })
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	var read, filtered atomic.Int64
	for reader := range 3 {
		readers.Go(func() {
			for n := reader; ctx.Err() == nil; n++ {
				known, err := m.compare(context.Background(), n%3 == 0, n%7)
				if err != nil {
					t.Error(err)
					return
				}
				read.Add(1)
				if known {
					filtered.Add(1)
				}
			}
		})
	}
	m.deploy(`"title":{"type":"text"},"mood":{"type":"number"}`)
	for i := range 20 { // among them are what was filed already and what was not
		m.publish(i*20, i*20+5)
	}
	m.awaitBuilt()
	m.deploy(`"title":{"type":"text"}`)
	m.publish(0, 300)
	m.deploy(`"mood":{"type":"number"},"title":{"type":"text"}`)
	if !m.isBuilt() {
		t.Error("a field that comes back is built again")
	}
	m.publish(200, 400)
	stop()
	readers.Wait()
	for mood := range 7 {
		if known, err := m.compare(t.Context(), false, mood); err != nil || !known {
			t.Error(known, err)
		}
	}
	if filtered.Load() == 0 {
		t.Errorf("of %d lists none was filtered", read.Load())
	}
	wantSound(t, m.sub.s, m.feed.id)
	wantBuilt(t, m.sub.s, m.feed.id)
}

// What a store did not finish to build it builds when it is opened again.
func TestBuildsGoOnAfterARestart(t *testing.T) {
	t.Parallel()
	fs := vfs.NewMem()
	m := newMoody(t, fs, 300, func(tune *tuning) { tune.buildRows, tune.buildByHand = 10, true })
	m.deploy(`"title":{"type":"text"},"mood":{"type":"number"}`)
	for range 5 {
		if more, err := m.sub.s.buildStep(m.feed.id); err != nil || !more {
			t.Fatal(more, err)
		}
	}
	if m.isBuilt() {
		t.Fatal("it is built already")
	}
	if h, err := m.sub.s.Health(); err != nil || h.Building != 1 {
		t.Fatal("it is not going to be built", h.Building, err)
	}
	if err := m.sub.s.Close(); err != nil {
		t.Fatal(err)
	}
	m.sub.tune.buildByHand = false
	m.sub.open(fs)
	m.awaitBuilt()
	for mood := range 7 {
		if known, err := m.compare(t.Context(), false, mood); err != nil || !known {
			t.Error(known, err)
		}
	}
	wantSound(t, m.sub.s, m.feed.id)
	wantBuilt(t, m.sub.s, m.feed.id)
}

// A log that is dropped or loaded again while it is built leaves nothing to build.
func TestBuildsEndWithTheirLog(t *testing.T) {
	t.Parallel()
	m := newMoody(t, vfs.NewMem(), 100, func(tune *tuning) { tune.buildRows, tune.buildByHand = 10, true })
	m.deploy(`"mood":{"type":"number"}`)
	if more, err := m.sub.s.buildStep(m.feed.id); err != nil || !more {
		t.Fatal(more, err)
	}
	m.feed.load(t, m.sub.s)
	wantBuilt(t, m.sub.s, m.feed.id)
	if more, err := m.sub.s.buildStep(m.feed.id); err != nil || more {
		t.Error("loaded again there is something to build", err)
	}
	m.deploy(`"mood":{"type":"text"}`)
	if err := m.sub.s.Drop(t.Context(), m.feed.id); err != nil {
		t.Fatal(err)
	}
	if more, err := m.sub.s.buildStep(m.feed.id); err != nil || more {
		t.Error("dropped there is something to build", err)
	}
	wantGenerations(t, m.sub.s, 0)
	if _, marked := m.sub.s.unbuilt.Load(m.feed.id); marked {
		t.Error("it is still marked")
	}
}
