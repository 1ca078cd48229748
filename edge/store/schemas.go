package store

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
	"svc/shared/schema"
)

// schemas are the schema versions of one generation that were parsed. Versions never change, so they serve every
// moment.
type schemas struct {
	gen    layout.Generation
	mu     sync.Mutex
	parsed map[schemaKey]*schema.Collection
	weight atomic.Int64
}

type schemaKey struct{ collection, version uint32 }

// maxParsed bounds the versions kept; beyond it all are dropped, since no project reads that many again and again.
const maxParsed = 4096

func newSchemas(g layout.Generation) *schemas {
	return &schemas{gen: g, parsed: map[schemaKey]*schema.Collection{}}
}

// get returns a version, reading it through the iterator where it was not read before.
func (s *schemas) get(it *pebble.Iterator, c, version uint32) (*schema.Collection, error) {
	key := schemaKey{c, version}
	s.mu.Lock()
	parsed := s.parsed[key]
	s.mu.Unlock()
	if parsed != nil {
		return parsed, nil
	}
	row := s.gen.CollectionNumber(nil, layout.TableSchema, c, version)
	if !it.SeekGE(row) || !bytes.Equal(it.Key(), row) {
		if err := it.Error(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("schema version %d is missing", version)
	}
	canonical, err := it.ValueAndErr()
	if err != nil {
		return nil, err
	}
	if parsed, err = schema.Parse(canonical); err != nil {
		return nil, fmt.Errorf("schema version %d: %w", version, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.parsed) >= maxParsed {
		clear(s.parsed)
		s.weight.Store(0)
	}
	s.parsed[key] = parsed
	s.weight.Add(parsedWeight * int64(len(canonical)))
	return parsed, nil
}

// parsedWeight is how many bytes a parsed schema takes for one of its canonical JSON, about.
const parsedWeight = 8
