package store

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"svc/edge/store/layout"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/read/readtest"
)

// Words are indexed apart from releases, and so are the fields that a deployment brings. However the two meet, the index tells what
// the documents do.

// newWordy is a project whose schema knows some fields.
func newWordy(t *testing.T, known string) *moody {
	m := newEmpty(t, vfs.NewMem(), func(tune *tuning) {
		tune.buildRows, tune.buildByHand, tune.rows.TextBatch = 1, true, 1
	})
	m.deploy(known)
	return m
}

// write publishes ten entries with words of the release.
func (m *moody) write() {
	m.release++
	r := &recordpb.Release{Number: m.release, PublishedMs: int64(m.release) * 1000}
	for i := range 10 {
		r.Items = append(r.Items, &recordpb.Item{
			Operation: recordpb.Operation_OPERATION_PUT, Entry: entryText(uint64(i)), Collection: "posts", SchemaVersion: m.version,
			Revision: string(readtest.Revision(m.release)), Fields: fmt.Appendf(nil, `{"title":"title %d","body":"body %d"}`, m.release, m.release),
		})
	}
	m.feed.apply(m.t, m.sub.s, record.KindRelease, r)
}

func (m *moody) index() {
	m.t.Helper()
	if err := m.sub.s.indexAllTexts(m.feed.id); err != nil {
		m.t.Fatal(err)
	}
}

func (m *moody) buildSome(steps int) (more bool) {
	m.t.Helper()
	for more = true; more && steps > 0; steps-- {
		var err error
		if more, err = m.sub.s.buildStep(m.feed.id); err != nil {
			m.t.Fatal(err)
		}
	}
	return more
}

const (
	title    = `"title":{"type":"text"}`
	withBody = title + `,"body":{"type":"text"}`
)

func TestABuildLeavesRecentWordsToTheirPass(t *testing.T) {
	t.Parallel()
	m := newWordy(t, title)
	m.write()
	m.index()
	m.write()
	m.deploy(withBody)
	m.buildSome(100)
	wantSound(t, m.sub.s, m.feed.id)
	m.index()
	wantSound(t, m.sub.s, m.feed.id)
}

func TestAPassOverWordsWithinABuild(t *testing.T) {
	t.Parallel()
	for steps := range 12 {
		m := newWordy(t, title)
		m.write()
		m.index()
		m.write()
		m.deploy(withBody)
		m.buildSome(steps)
		m.index()
		m.buildSome(100)
		wantSound(t, m.sub.s, m.feed.id)
		wantTexts(t, m.sub.s, m.feed.id)
	}
}

// What an interrupted pass has written of a document is taken back when another one has replaced it.
func TestAnInterruptedPassOverWords(t *testing.T) {
	t.Parallel()
	for batches := range 12 {
		m := newWordy(t, withBody)
		m.write()
		m.index()
		m.write()
		interruptTexts(t, m.sub.s, m.feed.id, batches)
		m.write()
		m.index()
		wantSound(t, m.sub.s, m.feed.id)
		wantTexts(t, m.sub.s, m.feed.id)
	}
}

// Of the first words that a schema knows, all that was published is left to the build.
func TestTheFirstWordsAreBuilt(t *testing.T) {
	t.Parallel()
	m := newWordy(t, `"mood":{"type":"number"}`)
	m.write()
	m.deploy(`"mood":{"type":"number"},"body":{"type":"text"}`)
	m.buildSome(100)
	wantTexts(t, m.sub.s, m.feed.id)
	wantSound(t, m.sub.s, m.feed.id)
}

// Where more is published than the builder keeps up with, the next change waits until words are indexed.
func TestChangesWaitForWords(t *testing.T) {
	t.Parallel()
	m := newWordy(t, title)
	m.sub.tune.dueTexts = 150 // bytes: a release has more than twice as many
	m.write()
	wantIndexed(t, m, 0)
	m.write()
	wantIndexed(t, m, 1)
	m.sub.tune.dueTexts = 1 << 20
	m.write()
	wantIndexed(t, m, 1)
}

// Health tells of words from the release that makes them due until a pass over them has ended.
func TestHealthTellsOfWordsThatAreDue(t *testing.T) {
	t.Parallel()
	m := newWordy(t, title)
	m.sub.tune.dueTexts = 300 // bytes: a release has more
	want := func(when string, projects int) {
		t.Helper()
		if h, err := m.sub.s.Health(); err != nil || h.Indexing != projects {
			t.Errorf("%s: %d projects, %v, want %d", when, h.Indexing, err, projects)
		}
	}
	want("nothing is published", 0)
	m.write()
	want("a release is published", 1)
	l := m.sub.s.log(m.feed.id)
	l.writing.Lock() // a pass cannot begin its work
	done := make(chan error)
	go func() { done <- m.sub.s.indexAllTexts(m.feed.id) }()
	for due := true; due; _, due = m.sub.s.textsDue.Load(m.feed.id) {
		runtime.Gosched()
	}
	want("a pass is under way", 1)
	l.writing.Unlock()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	want("the pass is over", 0)
}

// wantIndexed checks up to which release the words of the only collection are indexed.
func wantIndexed(t *testing.T, m *moody, release uint64) {
	t.Helper()
	row, _, err := m.sub.s.logRow(m.feed.id)
	if err != nil {
		t.Fatal(err)
	}
	it, err := row.Gen.Iterate(m.sub.s.db)
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	if got, err := layout.TextsIndexedIn(it, row.Gen, 1); err != nil || got.Release != release {
		t.Errorf("words are indexed up to release %d, %v, want %d", got.Release, err, release)
	}
}

// A project that comes into memory with many documents whose words are not indexed is left to the builder.
func TestManyWordsAreDueWhenAProjectIsRead(t *testing.T) {
	t.Parallel()
	m := newWordy(t, title)
	for documents := 10; documents < manyRecent; documents += 10 {
		m.write()
	}
	due := func() bool {
		m.sub.s.unload(m.sub.s.log(m.feed.id))
		v, err := m.sub.s.Open(t.Context(), "shop")
		if err != nil {
			t.Fatal(err)
		}
		v.Close()
		_, due := m.sub.s.textsDue.Load(m.feed.id)
		return due
	}
	if due() {
		t.Error("few documents are due")
	}
	m.write()
	if !due() {
		t.Error("many documents are not due")
	}
}
