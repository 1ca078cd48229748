package usage

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"svc/replication/stream"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/lifecycle"
)

const (
	// SendEvery is how often an edge states what it counted.
	SendEvery = 10 * time.Second
	// repeatAfter is when a statement is sent again that has not changed, so that it does not expire while the edge runs.
	repeatAfter = 24 * time.Hour
	// perStatement is how many counters one statement holds, so that it fits a message.
	perStatement = 4000
)

// Statement is what a process counted from its start until it was made. Times are of the clock of that process.
type Statement struct {
	Edge    string    `json:"edge"`
	Started time.Time `json:"started"`
	At      time.Time `json:"at"`
	Totals  []Counted `json:"totals,omitempty"`
	// KeysUsed is when API keys were last used, in Unix milliseconds, for those that were used last (credential.Uses).
	KeysUsed map[content.KeyID]int64 `json:"keysUsed,omitempty"`
}

// Decode reads a statement.
func Decode(data []byte) (*Statement, error) {
	s := &Statement{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("read a usage statement: %w", err)
	}
	return s, nil
}

// Sender states what an edge counts.
type Sender struct {
	Edge     string
	Started  time.Time
	Counters *Counters
	Uses     *credential.Uses
	Stream   *stream.Conn
	Now      func() time.Time
	Logger   *slog.Logger

	sent []sent // by part
}

// sent is the last statement of a part that was stored.
type sent struct {
	at     time.Time
	totals []Counted
	used   map[content.KeyID]int64
}

// Run sends statements until the context ends, and a last one then.
func (s *Sender) Run(ctx context.Context) error {
	lifecycle.EveryAndLast(ctx, SendEvery, func(ctx context.Context) {
		if err := s.Send(ctx); err != nil && ctx.Err() == nil {
			s.Logger.Debug("what was counted is not stated; trying again", "error", err)
		}
	})
	return nil
}

// Send states what has changed since it was last stated. Counters stay in the part in which they were stated first; the
// uses of keys go with the first part.
func (s *Sender) Send(ctx context.Context) error {
	if !s.Stream.Connected() {
		return nil
	}
	used := map[content.KeyID]int64{}
	for key, at := range s.Uses.Last() {
		used[key] = at.UnixMilli()
	}
	part := 0
	for totals := range slices.Chunk(s.Counters.Totals(), perStatement) {
		if err := s.sendPart(ctx, part, totals, used); err != nil {
			return err
		}
		part, used = part+1, nil
	}
	if part == 0 && len(used) > 0 {
		return s.sendPart(ctx, 0, nil, used)
	}
	return nil
}

func (s *Sender) sendPart(ctx context.Context, part int, totals []Counted, used map[content.KeyID]int64) error {
	if part == len(s.sent) {
		s.sent = append(s.sent, sent{})
	}
	last, now := &s.sent[part], s.Now()
	if now.Sub(last.at) < repeatAfter && slices.Equal(last.totals, totals) && maps.Equal(last.used, used) {
		return nil
	}
	data, err := json.Marshal(Statement{Edge: s.Edge, Started: s.Started.UTC(), At: now.UTC(), Totals: totals, KeysUsed: used})
	if err != nil {
		return fmt.Errorf("encode a usage statement: %w", err)
	}
	key := fmt.Sprintf("%s.%d.%d", s.Edge, s.Started.UnixNano(), part)
	if err := s.Stream.StateUsage(ctx, key, data); err != nil {
		return err
	}
	*last = sent{now, totals, used}
	return nil
}
