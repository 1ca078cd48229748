package store

import (
	"strings"
	"sync"
	"sync/atomic"

	"svc/edge/store/layout"
	"svc/edge/store/write"
	"svc/shared/content"
)

// log is one log in memory. For a project's log it leads to what is served.
type log struct {
	id string

	writing sync.Mutex   // one change or load at a time
	state   *write.State // under writing; nil where it must be read first

	indexing sync.Mutex   // one pass over words at a time; taken before writing
	newTexts atomic.Int64 // bytes of what was published whose words are not indexed, about

	viewing sync.Mutex                   // guards replacing current
	current atomic.Pointer[projectState] // nil while the project is not in memory
	commits atomic.Uint64                // counts changes that readers can see; grows under viewing
	used    atomic.Int64                 // sweep of the last use
}

func (l *log) isProject() bool      { return content.IsID[content.ProjectID](l.id) }
func (l *log) isOrganization() bool { return content.IsID[content.OrganizationID](l.id) }

// known returns the log of this id where the store holds it, and nil otherwise.
func (s *Store) known(id string) (*log, error) {
	if l, ok := s.logs.Load(id); ok {
		return l.(*log), nil
	}
	row, err := s.get(layout.Global.Text(nil, layout.TableLog, id))
	if err != nil || row == nil {
		return nil, err
	}
	return s.log(id), nil
}

// log returns the log of this id, held or not. Callers know that the id is no invention of a reader.
func (s *Store) log(id string) *log {
	l, ok := s.logs.Load(id)
	if !ok {
		id = strings.Clone(id)
		l, _ = s.logs.LoadOrStore(id, &log{id: id})
	}
	return l.(*log)
}

// logRow reads where a log stands; false where the store does not hold it.
func (s *Store) logRow(id string) (layout.LogRow, bool, error) {
	value, err := s.get(layout.Global.Text(nil, layout.TableLog, id))
	if err != nil || value == nil {
		return layout.LogRow{}, false, err
	}
	row, err := layout.ReadLogRow(value)
	return row, err == nil, err
}
