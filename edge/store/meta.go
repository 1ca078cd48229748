package store

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/edge/store/plan"
	"svc/edge/store/snapshot"
	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/read"
)

// meta is what of a project stands in memory while it is read. It never changes.
type meta struct {
	log     *log
	gen     layout.Generation
	project *read.Project // nil where the project was deleted or its settings have not come
	head    content.Release
	live    []*read.Collection     // by key
	places  map[string]*collection // every collection that ever was
	schemas *schemas
	unbuilt bool   // a definition is not built
	recent  uint32 // documents whose words are not indexed
	weight  int64  // bytes, about

	version uint64            // of everything but releases; see read.View.Version
	changed map[string]uint64 // versions of the collections that releases changed since, by key

	releases *snapshot.Memo[uint64, content.Release]
	frames   *snapshot.Memo[snapshot.Pin, read.Frame] // of the settings and schemas of this moment
	changes  *snapshot.Changes                        // of this moment
}

// collection is one collection; live is nil where it was removed.
type collection struct {
	number uint32
	live   *read.Collection
	listed plan.Collection
}

// loadMeta reads what belongs to a moment; nil where the store does not hold the log. Schemas that were parsed at a former moment
// are used again. What is not built is going to be.
func (s *Store) loadMeta(src pebble.Reader, l *log, former *meta) (*meta, error) {
	value, err := layout.Get(src, layout.Global.Text(nil, layout.TableLog, l.id))
	if err != nil || value == nil {
		return nil, err
	}
	row, err := layout.ReadLogRow(value)
	if err != nil {
		return nil, err
	}
	m := &meta{
		log: l, gen: row.Gen, places: map[string]*collection{}, version: s.versions.Add(1),
		releases: &snapshot.Memo[uint64, content.Release]{}, frames: &snapshot.Memo[snapshot.Pin, read.Frame]{}, changes: &snapshot.Changes{},
	}
	if former != nil && former.gen == m.gen {
		m.schemas = former.schemas
	} else {
		m.schemas = newSchemas(m.gen)
	}
	it, err := m.gen.Iterate(src)
	if err != nil {
		return nil, err
	}
	if err := layout.JoinClose(m.load(it), it); err != nil {
		return nil, err
	}
	if m.unbuilt {
		s.unbuilt.Store(l.id, nil)
	}
	if former == nil && m.recent >= manyRecent {
		s.textsDue.Store(l.id, nil)
	}
	return m, nil
}

func (m *meta) load(it *pebble.Iterator) error {
	settings, err := layout.LastSettings(it, m.gen)
	if err != nil {
		return err
	}
	if settings != nil && !settings.Deleted {
		m.project = projectOf(settings)
	}
	if m.head, err = layout.LastRelease(it, m.gen); err != nil {
		return err
	}
	storedCollections, err := layout.ReadCollectionStates(it, m.gen)
	if err != nil {
		return err
	}
	for number, stored := range storedCollections {
		c := &collection{number: number, listed: plan.Collection{Number: number, Definitions: map[index.Name]*index.Definition{}}}
		if err := m.loadIndexes(it, c); err != nil {
			return fmt.Errorf("collection %s: %w", stored.Name, err)
		}
		m.places[stored.Name] = c
		if stored.Version == 0 {
			continue
		}
		parsed, err := m.schemas.get(it, number, stored.Version)
		if err != nil {
			return fmt.Errorf("collection %s: %w", stored.Name, err)
		}
		if parsed.Label != stored.Label {
			relabelled := *parsed
			relabelled.Label = stored.Label
			parsed = &relabelled
		}
		c.live = &read.Collection{Schema: parsed, Version: stored.Version}
		m.live = append(m.live, c.live)
	}
	if err := it.Error(); err != nil {
		return err
	}
	slices.SortFunc(m.live, func(a, b *read.Collection) int { return strings.Compare(a.Schema.Name, b.Schema.Name) })
	m.weight += metaBytes + int64(len(m.places))*256 + m.schemas.weight.Load()
	return nil
}

// loadIndexes reads which indexes a collection has, and how far.
func (m *meta) loadIndexes(it *pebble.Iterator, c *collection) error {
	hasTexts := false
	if err := index.ReadDefinitions(it, m.gen, c.number, func(d *index.Definition) {
		hasTexts = hasTexts || d.Class == index.ClassTerms
		if m.unbuilt = m.unbuilt || !d.Built; d.Built {
			c.listed.Definitions[d.Name] = d
			m.weight += metaDefinition
		}
	}); err != nil {
		return err
	}
	texts, err := layout.TextsIndexedIn(it, m.gen, c.number)
	if err != nil {
		return err
	}
	c.listed.Recent = plan.NewRecent(texts.Release, c.listed.Definitions)
	if hasTexts {
		recent, err := snapshot.DocumentsSince(it, m.gen, c.number, texts.Release)
		if err != nil {
			return err
		}
		m.recent += recent
	}
	ranks := m.gen.Collection(nil, layout.TableRank, c.number)
	c.listed.Ranked.Store(it.SeekGE(ranks) && bytes.HasPrefix(it.Key(), ranks))
	return it.Error()
}

// manyRecent is from how many documents on that came since words were indexed the builder indexes them when a project comes into
// memory: its next search would read them all.
const manyRecent = 64

// How many bytes a project takes without its collections, what is remembered of pins included, and how many a definition.
const (
	metaBytes      = 32 << 10
	metaDefinition = 192
)

// withRelease is the same project after a release, which gives the collections that it changes a version.
func (m *meta) withRelease(head content.Release, items []*recordpb.Item, version uint64) *meta {
	next := *m
	next.head, next.changes = head, &snapshot.Changes{}
	next.changed = make(map[string]uint64, len(m.changed)+1)
	maps.Copy(next.changed, m.changed)
	for _, item := range items {
		next.changed[item.Collection] = version
	}
	return &next
}

// withVersion is the same project with another version.
func (m *meta) withVersion(version uint64) *meta {
	next := *m
	next.version, next.changed, next.changes = version, nil, &snapshot.Changes{}
	return &next
}

func projectOf(p *recordpb.Project) *read.Project {
	return &read.Project{
		ID:               content.ProjectID(p.Id),
		Organization:     content.OrganizationID(p.Organization),
		Slug:             p.Slug,
		PublicAPIEnabled: p.PublicApiEnabled,
		AllowedOrigins:   p.AllowedOrigins,
		Locales:          p.Locales,
		DefaultLocale:    p.DefaultLocale,
		CursorKey:        p.CursorKey,
		Pinned:           p.PinnedRelease,
	}
}
