package changelog

import (
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"svc/core/postgres"
	"svc/replication/publish"
	"svc/replication/record"
	"svc/replication/snapshot"
)

// rememberedLogs is how many logs a memory surely knows, those that moved last; it holds at most twice as many.
const rememberedLogs = 50_000

// memory is what this process saw committed in a database: of each log the farthest position, and the greatest number
// and time that a release was given. It outlives the database's going back, which its commits do not.
type memory struct {
	doubted atomic.Bool // the database is behind it

	mu          sync.Mutex
	newer, rest map[string]publish.Seen
}

var memories sync.Map // of *memory by connection string

func memoryOf(database string) *memory {
	m, _ := memories.LoadOrStore(database, &memory{newer: map[string]publish.Seen{}})
	return m.(*memory)
}

func memoryIn(tx pgx.Tx) *memory { return memoryOf(tx.Conn().Config().ConnString()) }

func (m *memory) note(log string, s publish.Seen) {
	m.mu.Lock()
	defer m.mu.Unlock()
	was := m.get(log)
	if snapshot.Before(s.At, was.At) || s.At.Seq == was.At.Seq && s.At.Epoch == was.At.Epoch {
		s.At = was.At
	}
	s.Given = s.Given.Join(was.Given)
	m.newer[log] = s
	if len(m.newer) >= rememberedLogs {
		m.newer, m.rest = map[string]publish.Seen{}, m.newer
	}
}

func (m *memory) get(log string) publish.Seen {
	if s, ok := m.newer[log]; ok {
		return s
	}
	return m.rest[log]
}

func (m *memory) given(log string) record.Stamp {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.get(log).Given
}

func (m *memory) all() map[string]publish.Seen {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make(map[string]publish.Seen, len(m.newer)+len(m.rest))
	for log, s := range m.rest {
		all[log] = s
	}
	for log, s := range m.newer {
		all[log] = s
	}
	return all
}

// Gave remembers, once tx is committed, that a release of a project was given a number and a time.
func Gave(tx pgx.Tx, project string, s record.Stamp) {
	m := memoryIn(tx)
	postgres.OnCommit(tx, func() { m.note(project, publish.Seen{Given: s}) })
}

// Behind reports whether this process saw a greater number or a later time given than the database, which the
// transaction holds, has given last: then the database went back, and its logs are compared with the memory soon.
func Behind(tx pgx.Tx, project string, last record.Stamp) bool {
	m := memoryIn(tx)
	if last.Join(m.given(project)) == last {
		return false
	}
	m.doubted.Store(true)
	return true
}
