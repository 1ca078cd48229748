package store

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"svc/edge/store/layout"
	"svc/edge/store/plan"
	"svc/replication/follow"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/read"
	"svc/shared/read/readtest"
	"svc/shared/testrand"
)

// TestRandomOperations does everything that can happen to a store in random order, crashes and reloads included, and
// compares it with the plain model. rapid prints what it did when it fails, and how to repeat it.
func TestRandomOperations(t *testing.T) {
	t.Parallel()
	testrand.CheckFew(t, 20, func(t *rapid.T) {
		m := newMachine(t)
		defer m.close()
		t.Repeat(map[string]func(*rapid.T){
			"":            m.check,
			"release":     m.release,
			"cycle":       m.cycle,
			"clear":       m.clear,
			"skip":        m.skip,
			"rank":        m.rank,
			"schema":      m.schema,
			"settings":    m.settings,
			"key":         m.key,
			"owner":       m.organization,
			"reload":      m.reload,
			"reload keys": m.reloadKeys,
			"half load":   m.halfLoad,
			"crash":       m.crash,
			"reopen":      m.reopen,
			"idle":        m.idle,
			"hold":        m.hold,
			"build":       m.build,
			"texts":       m.indexTexts,
		})
		m.checkAll(t)
	})
}

const (
	machineEntries = 24
	machineSlugs   = 20
)

var machineCollections = []string{"notes", "posts"}

type machine struct {
	sub   *subject
	fs    *vfs.MemFS
	model *readtest.Memory
	set   readtest.Settings

	head, push, revision uint64
	skipped              uint64                       // numbers left out before the next release
	shapes               map[string]uint32            // last deployed, also of collections that are removed
	slugs                map[string]map[uint64]string // of live entries
	held                 []heldView
	keys                 keyring
}

type heldView struct {
	got, want read.View
	head      uint64
}

func newMachine(t *rapid.T) *machine {
	m := &machine{
		fs: vfs.NewCrashableMem(), model: readtest.NewMemory(), shapes: map[string]uint32{},
		slugs: map[string]map[uint64]string{}, keys: keyring{grants: map[string]*credential.Grant{}},
	}
	m.sub = &subject{t: t, feeds: map[string]*feed{}, tune: smallTuning()}
	m.sub.tune.lists.Arranged = rapid.SampledFrom([]int{0, 2, 100}).Draw(t, "entries of an arrangement")
	m.sub.tune.lists.Way = rapid.SampledFrom([]plan.Way{plan.ByCost, plan.AlwaysWalk, plan.AlwaysCollect}).Draw(t, "way")
	m.sub.tune.columns = drawColumns(t, m.sub.tune.columns)
	m.sub.tune.runBytes = rapid.SampledFrom([]int{1, 2000, 1 << 20}).Draw(t, "run size")
	m.sub.tune.smallRun = rapid.SampledFrom([]int{1, 1 << 20}).Draw(t, "small run")
	m.sub.tune.buildByHand = true
	m.sub.tune.rows.TextBatch = rapid.SampledFrom([]int{1, 1 << 20}).Draw(t, "bytes of a batch of words")
	m.sub.tune.setChunks(rapid.SampledFrom([]layout.Chunking{1, 2, 5, layout.DefaultChunking}).Draw(t, "bits of a chunk"))
	if rapid.Bool().Draw(t, "small steps") {
		m.sub.tune.lists.Budget = func(steps int) int { return steps % 7 }
	}
	m.sub.tune.buildRows = rapid.SampledFrom([]int{1, 2, 5, 1000}).Draw(t, "rows of a build")
	m.sub.open(m.fs)
	m.set = readtest.Settings{Project: read.Project{
		ID: readtest.Project(1), Organization: readtest.Organization(1), Slug: "shop", PublicAPIEnabled: true, CursorKey: []byte("a cursor key of its own"),
	}, From: 1}
	m.both(t, func(s readtest.Subject) error { return s.PutSettings(context.Background(), m.set) })
	m.found(t, false)
	for _, c := range machineCollections {
		m.slugs[c] = map[uint64]string{}
		m.deploy(t, map[string]uint32{c: 1})
	}
	return m
}

func (m *machine) close() {
	for _, h := range m.held {
		h.got.Close()
	}
	if err := m.sub.s.Close(); err != nil {
		m.sub.t.Fatal(err)
	}
}

func (m *machine) both(t *rapid.T, do func(s readtest.Subject) error) {
	for _, s := range []readtest.Subject{m.model, m.sub} {
		if err := do(s); err != nil {
			t.Fatal(err)
		}
	}
}

// deploy puts shapes of collections in force, and takes others away, all at once.
func (m *machine) deploy(t *rapid.T, shapes map[string]uint32, removed ...string) {
	m.push++
	s := readtest.Schema{Number: m.push, From: m.head + 1, Removed: removed}
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		v := readtest.Shape(name, shapes[name])
		if rapid.Bool().Draw(t, "another label") {
			v.Label = fmt.Sprint("Label ", m.push)
		}
		s.Collections = append(s.Collections, v)
		m.shapes[name] = shapes[name]
	}
	m.both(t, func(sub readtest.Subject) error { return sub.PutSchema(context.Background(), m.set.ID, s) })
}

func drawShape(t *rapid.T) uint32 { return rapid.Uint32Range(1, readtest.Shapes).Draw(t, "shape") }

func (m *machine) publish(t *rapid.T, items []readtest.Item) {
	m.head += 1 + m.skipped
	m.skipped = 0
	r := readtest.Release{Release: content.Release{Number: m.head, PublishedAt: time.UnixMilli(int64(m.head) * 1000).UTC()}, Items: items}
	m.both(t, func(s readtest.Subject) error { return s.Publish(context.Background(), m.set.ID, r) })
}

// skip leaves release numbers out, as a recovery does.
func (m *machine) skip(t *rapid.T) { m.skipped += rapid.Uint64Range(1, 3).Draw(t, "numbers") }

func (m *machine) put(collection string, n uint64, slug string) readtest.Item {
	m.revision++
	m.slugs[collection][n] = slug
	return readtest.Item{
		Entry: readtest.Entry(n), Collection: collection, Slug: slug, Revision: readtest.Revision(m.revision),
		SchemaVersion: readtest.Shape(collection, m.shapes[collection]).Version, Fields: readtest.ShapeFields(m.shapes[collection], m.revision),
	}
}

// release puts and removes some entries. Entries below half are posts, the others notes.
func (m *machine) release(t *rapid.T) {
	var items []readtest.Item
	chosen := rapid.SliceOfNDistinct(rapid.Uint64Range(0, machineEntries-1), 0, 8, rapid.ID[uint64]).Draw(t, "entries")
	for _, n := range chosen {
		collection := machineCollections[n%2]
		live := m.slugs[collection]
		switch rapid.IntRange(0, 4).Draw(t, "what") {
		case 0, 1: // keep the slug, or take a free one
			slug, ok := live[n]
			if !ok {
				slug = m.freeSlug(t, collection)
			}
			items = append(items, m.put(collection, n, slug))
		case 2, 3:
			delete(live, n)
			items = append(items, m.put(collection, n, m.freeSlug(t, collection)))
		default: // also where it is not live
			delete(live, n)
			items = append(items, readtest.Item{Entry: readtest.Entry(n), Collection: collection, Deleted: n%3 == 0})
		}
	}
	m.publish(t, items)
}

// freeSlug draws a slug that no live entry has, sometimes none.
func (m *machine) freeSlug(t *rapid.T, collection string) string {
	slug := fmt.Sprintf("s%d", rapid.IntRange(0, machineSlugs).Draw(t, "slug"))
	for _, taken := range m.slugs[collection] {
		if taken == slug || slug == fmt.Sprintf("s%d", machineSlugs) {
			return ""
		}
	}
	return slug
}

// cycle passes the slugs of several live entries on in a ring.
func (m *machine) cycle(t *rapid.T) {
	collection := rapid.SampledFrom(machineCollections).Draw(t, "collection")
	live := slices.Sorted(maps.Keys(m.slugs[collection]))
	if len(live) < 2 {
		return
	}
	before := maps.Clone(m.slugs[collection])
	var items []readtest.Item
	for i, n := range live {
		items = append(items, m.put(collection, n, before[live[(i+1)%len(live)]]))
	}
	m.publish(t, items)
}

// clear takes everything of a collection away.
func (m *machine) clear(t *rapid.T) {
	collection := rapid.SampledFrom(machineCollections).Draw(t, "collection")
	var items []readtest.Item
	for _, n := range slices.Sorted(maps.Keys(m.slugs[collection])) {
		items = append(items, readtest.Item{Entry: readtest.Entry(n), Collection: collection})
	}
	clear(m.slugs[collection])
	m.publish(t, items)
}

func (m *machine) rank(t *rapid.T) {
	r := readtest.Ranks{Collection: rapid.SampledFrom(machineCollections).Draw(t, "collection"), Entries: map[content.EntryID]string{}}
	for n := range rapid.MapOfN(rapid.Uint64Range(0, machineEntries-1), rapid.Just(0), 1, 8).Draw(t, "entries") {
		r.Entries[readtest.Entry(n)] = rapid.SampledFrom([]string{"", "a", "a\x00", "a\x00b", "b", "b0", "c", "\xff"}).Draw(t, "rank")
	}
	m.both(t, func(s readtest.Subject) error { return s.Arrange(context.Background(), m.set.ID, r) })
}

// schema deploys one collection or both, or removes some: also what is removed already, and what comes back at once.
func (m *machine) schema(t *rapid.T) {
	deployed := map[string]uint32{}
	var removed []string
	for _, name := range machineCollections {
		switch rapid.IntRange(0, 4).Draw(t, name) {
		case 0, 1:
			deployed[name] = drawShape(t)
		case 2:
			removed = append(removed, name)
		}
	}
	m.deploy(t, deployed, removed...)
}

func (m *machine) settings(t *rapid.T) {
	m.set.Locales = rapid.SampledFrom([][]string{nil, {"en"}, {"de", "en"}}).Draw(t, "locales")
	if m.set.DefaultLocale = ""; len(m.set.Locales) > 0 {
		m.set.DefaultLocale = m.set.Locales[0]
	}
	m.set.Slug = rapid.SampledFrom([]string{"shop", "store"}).Draw(t, "slug")
	m.set.From = m.head + 1
	m.both(t, func(s readtest.Subject) error { return s.PutSettings(context.Background(), m.set) })
}

func (m *machine) feed() *feed { return m.sub.feed(string(m.set.ID)) }

func (m *machine) reload(t *rapid.T) { m.feed().load(t, m.sub.s) }

// halfLoad gives a load up in the middle.
func (m *machine) halfLoad(t *rapid.T) {
	n := rapid.IntRange(0, len(m.feed().changes)).Draw(t, "bodies")
	if err := m.feed().tryLoad(m.sub.s, n, false); err != nil {
		t.Fatal(err)
	}
}

// crash loses the process, perhaps in the middle of a load, and some of what the disk was not told to keep.
func (m *machine) crash(t *rapid.T) {
	var ld follow.Loader
	if rapid.Bool().Draw(t, "while loading") {
		var err error
		ld, err = m.sub.s.Load(context.Background(), m.feed().id)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range m.feed().snapshot() {
			if err := ld.Add(context.Background(), b.kind, b.body); err != nil {
				t.Fatal(err)
			}
		}
	}
	seed := rapid.Uint64().Draw(t, "crash")
	fs := m.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: int(seed % 101), RNG: rand.New(rand.NewPCG(seed, 0))})
	// What goes on here happens after the crash, and is lost.
	m.letViewsGo(t)
	if ld != nil {
		if err := ld.Abort(); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.sub.s.Close(); err != nil {
		t.Fatal(err)
	}
	m.fs = fs
	m.start(t)
}

func (m *machine) reopen(t *rapid.T) {
	m.letViewsGo(t)
	if err := m.sub.s.Close(); err != nil {
		t.Fatal(err)
	}
	m.start(t)
}

// start opens the store again and lets it catch up.
func (m *machine) start(t *rapid.T) {
	m.sub.open(m.fs)
	m.feed().resume(t, m.sub.s)
	m.keyFeed().resume(t, m.sub.s)
	wantGenerations(t, m.sub.s, 2) // of the project and of its organization
}

// build lets the builder come somewhat further.
func (m *machine) build(t *rapid.T) {
	for range rapid.IntRange(1, 20).Draw(t, "steps") {
		more, err := m.sub.s.buildStep(m.feed().id)
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return
		}
	}
}

// indexTexts lets some words be indexed.
func (m *machine) indexTexts(t *rapid.T) { indexTexts(t, m.sub.s, m.feed().id) }

// idle lets so much time pass that nothing stays in memory, or that snapshots are renewed.
func (m *machine) idle(t *rapid.T) {
	for range rapid.IntRange(1, idleSweeps+2).Draw(t, "seconds") {
		m.sub.s.sweep()
	}
}

// hold keeps a view, to be compared later with the model of that moment.
func (m *machine) hold(t *rapid.T) {
	if len(m.held) == 3 {
		m.letViewsGo(t)
	}
	m.held = append(m.held, m.views(t))
}

func (m *machine) views(t *rapid.T) (h heldView) {
	var err error
	if h.got, err = m.sub.Store().Open(context.Background(), m.set.Slug); err != nil {
		t.Fatal(err)
	}
	if h.want, err = m.model.Open(context.Background(), m.set.Slug); err != nil {
		t.Fatal(err)
	}
	h.head = m.head
	return h
}

func (m *machine) letViewsGo(t *rapid.T) {
	for _, h := range m.held {
		m.compare(t, h, false)
		h.got.Close()
	}
	m.held = nil
}

// check compares the head and some pins.
func (m *machine) check(t *rapid.T) {
	h := m.views(t)
	defer h.got.Close()
	m.compare(t, h, false)
	m.checkKeys(t)
}

func (m *machine) checkAll(t *rapid.T) {
	m.letViewsGo(t)
	h := m.views(t)
	m.compare(t, h, true)
	h.got.Close()
	m.feed().wantSum(t, m.sub.s)
	m.checkKeySum(t)
	wantSound(t, m.sub.s, m.feed().id)
	for more := true; more; {
		var err error
		if more, err = m.sub.s.buildStep(m.feed().id); err != nil {
			t.Fatal(err)
		}
	}
	wantSound(t, m.sub.s, m.feed().id)
	wantBuilt(t, m.sub.s, m.feed().id)
	if err := m.sub.s.indexAllTexts(m.feed().id); err != nil {
		t.Fatal(err)
	}
	wantSound(t, m.sub.s, m.feed().id)
	wantTexts(t, m.sub.s, m.feed().id)
}

func (m *machine) compare(t *rapid.T, h heldView, all bool) {
	c := comparison{
		t: t, got: h.got, want: h.want, collections: machineCollections, entries: entryIDs(machineEntries),
		limit: rapid.IntRange(1, 9).Draw(t, "page"), project: m.set.ID,
	}
	for n := range machineSlugs {
		c.slugs = append(c.slugs, fmt.Sprintf("s%d", n))
	}
	if got := h.got.Head(); got.Number != h.head {
		t.Fatalf("the head is release %d, want %d", got.Number, h.head)
	}
	c.at(0)
	if all {
		for pin := range h.head {
			c.at(pin + 1)
		}
	} else if h.head > 0 {
		c.at(rapid.Uint64Range(1, h.head).Draw(t, "pin"))
	}
}
