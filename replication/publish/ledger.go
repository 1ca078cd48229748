package publish

import (
	"maps"
	"sync"
)

// sentLedger gathers how far logs were sent until that is recorded.
type sentLedger struct {
	mu   sync.Mutex
	seqs map[string]uint64
}

func newSentLedger() *sentLedger { return &sentLedger{seqs: map[string]uint64{}} }

func (l *sentLedger) note(log string, seq uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seqs[log] = seq
}

// flush hands what was gathered to record, and keeps it where that fails.
func (l *sentLedger) flush(record func(map[string]uint64) error) error {
	l.mu.Lock()
	taken := l.seqs
	l.seqs = map[string]uint64{}
	l.mu.Unlock()
	if len(taken) == 0 {
		return nil
	}
	err := record(taken)
	if err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		newer := l.seqs
		l.seqs = taken
		maps.Copy(l.seqs, newer)
	}
	return err
}
