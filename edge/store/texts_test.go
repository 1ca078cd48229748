package store

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

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
		m.index() // to where the interrupted one was to come
		wantSound(t, m.sub.s, m.feed.id)
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
