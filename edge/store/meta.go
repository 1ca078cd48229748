package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"google.golang.org/protobuf/proto"

	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/read"
)

// meta is what of a project stands in memory while it is read. It never changes.
type meta struct {
	log     *log
	gen     generation
	project *read.Project // nil where the project was deleted or its settings have not come
	head    content.Release
	live    []*read.Collection     // by key
	places  map[string]*collection // every collection that ever was
	schemas *schemas
	pins    *pins
	frames  *frames
	heads   *heads
	weight  int64 // bytes, about
}

// collection is one collection; live is nil where it was removed.
type collection struct {
	number uint32
	live   *read.Collection
	ranked atomic.Bool                    // entries have ranks, or had; set before readers can see the first
	defs   map[definitionName]*definition // those that are built
	filed  atomic.Bool                    // lists lately found their documents in sheets; a hint where to look first
}

// loadMeta reads what belongs to a moment; nil where the store does not hold the log. What was parsed and
// remembered at a former moment is used again.
func loadMeta(src pebble.Reader, l *log, former *meta) (*meta, error) {
	value, err := get(src, global.text(nil, tableLog, l.id))
	if err != nil || value == nil {
		return nil, err
	}
	row, err := readLogRow(value)
	if err != nil {
		return nil, err
	}
	m := &meta{log: l, gen: row.gen, places: map[string]*collection{}, frames: newFrames(), heads: newHeads()}
	if former != nil && former.gen == m.gen {
		m.schemas, m.pins = former.schemas, former.pins
	} else {
		m.schemas, m.pins = newSchemas(m.gen), newPins()
	}
	lower, upper := m.gen.span()
	it, err := src.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return nil, err
	}
	return m, joinClose(m.load(it), it)
}

func (m *meta) load(it *pebble.Iterator) error {
	settings, err := lastSettings(it, m.gen)
	if err != nil {
		return err
	}
	if settings != nil && !settings.Deleted {
		m.project = projectOf(settings)
	}
	if m.head, err = lastRelease(it, m.gen); err != nil {
		return err
	}
	storedCollections, err := readCollectionStates(it, m.gen)
	if err != nil {
		return err
	}
	for number, stored := range storedCollections {
		c := &collection{number: number, defs: map[definitionName]*definition{}}
		if err := readDefinitions(it, m.gen, number, func(d *definition) {
			if d.built {
				c.defs[d.name()] = d
				m.weight += metaDefinition
			}
		}); err != nil {
			return fmt.Errorf("collection %s: %w", stored.name, err)
		}
		m.places[stored.name] = c
		ranks := m.gen.collection(nil, tableRank, number)
		c.ranked.Store(it.SeekGE(ranks) && bytes.HasPrefix(it.Key(), ranks))
		if stored.version == 0 {
			continue
		}
		parsed, err := m.schemas.get(it, number, stored.version)
		if err != nil {
			return fmt.Errorf("collection %s: %w", stored.name, err)
		}
		if parsed.Label != stored.label {
			relabelled := *parsed
			relabelled.Label = stored.label
			parsed = &relabelled
		}
		c.live = &read.Collection{Schema: parsed, Version: stored.version}
		m.live = append(m.live, c.live)
	}
	if err := it.Error(); err != nil {
		return err
	}
	slices.SortFunc(m.live, func(a, b *read.Collection) int { return strings.Compare(a.Schema.Name, b.Schema.Name) })
	m.weight += 4096 + maxPins*(metaPin+metaFrame) + int64(len(m.places))*256 + m.schemas.weight.Load()
	return nil
}

// metaPin is how many bytes a pin that is remembered takes, about.
const metaPin = 192

// metaFrame is how many bytes the frame of a pin takes, about, where its locales are those of now.
const metaFrame = 160

// metaDefinition is how many bytes a definition takes, about.
const metaDefinition = 192

// withHead is the same project after a release.
func (m *meta) withHead(head content.Release) *meta {
	next := *m
	next.head, next.heads = head, newHeads()
	return &next
}

// lastSettings returns the settings in force; nil where none have come.
func lastSettings(it *pebble.Iterator, g generation) (*recordpb.Project, error) {
	return settingsBefore(it, g, g.end(nil, tableSettings))
}

func settingsBefore(it *pebble.Iterator, g generation, bound []byte) (*recordpb.Project, error) {
	if !it.SeekLT(bound) || !bytes.HasPrefix(it.Key(), g.start(nil, tableSettings)) {
		return nil, it.Error()
	}
	value, err := it.ValueAndErr()
	if err != nil {
		return nil, err
	}
	p := &recordpb.Project{}
	return p, proto.Unmarshal(value, p)
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

// lastRelease returns the newest release; number 0 where there is none.
func lastRelease(it *pebble.Iterator, g generation) (content.Release, error) {
	if !it.SeekLT(g.end(nil, tableRelease)) || !bytes.HasPrefix(it.Key(), g.start(nil, tableRelease)) {
		return content.Release{}, it.Error()
	}
	return releaseRow(it)
}

// releaseRow reads the row of tableRelease at which the iterator stands.
func releaseRow(it *pebble.Iterator) (r content.Release, err error) {
	value, err := it.ValueAndErr()
	if err != nil {
		return r, err
	}
	if len(value) != 8 || len(it.Key()) != prefixLen+8 {
		return r, damaged("release")
	}
	r.Number = binary.BigEndian.Uint64(it.Key()[prefixLen:])
	r.PublishedAt = milliTime(binary.BigEndian.Uint64(value))
	return r, nil
}

// readCollectionStates returns the rows of tableCollection by number.
func readCollectionStates(it *pebble.Iterator, g generation) (map[uint32]collectionState, error) {
	storedCollections := map[uint32]collectionState{}
	start := g.start(nil, tableCollection)
	for ok := it.SeekGE(start); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return nil, err
		}
		if len(it.Key()) != collectionLen {
			return nil, damaged("collection")
		}
		number := binary.BigEndian.Uint32(it.Key()[prefixLen:])
		if storedCollections[number], err = readCollectionState(value); err != nil {
			return nil, err
		}
	}
	return storedCollections, it.Error()
}
