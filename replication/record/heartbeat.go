package record

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"svc/replication/record/recordpb"
)

// MaxBeatHeads is how many heads one heartbeat carries at most, so that it fits a message.
const MaxBeatHeads = 4000

// Heartbeat says how far the logs are, and up to which time their releases are known.
type Heartbeat struct {
	Core string
	// Settled is a time of the database's clock: no release with an earlier time can appear any more in a log beyond
	// the heads known by then. Zero where core could not tell this time.
	Settled time.Time
	// Since is the time from which every head of the range that changed is listed; zero lists every log of the range,
	// whenever it changed, so one that is not listed does not exist. The range is After < id <= Through, by byte; an
	// empty Through is the end of all ids. One beat comes in as many ranges as it takes.
	Since          time.Time
	After, Through string
	Heads          []Head
}

// Head is the newest position of a log.
type Head struct {
	Log      string
	Position Position
}

// All reports whether the heartbeat lists every log of its range.
func (h *Heartbeat) All() bool { return h.Since.IsZero() }

// Encode writes the heartbeat.
func (h *Heartbeat) Encode() ([]byte, error) {
	m := &recordpb.Heartbeat{
		Core: h.Core, SettledMs: millis(h.Settled), SinceMs: millis(h.Since), After: h.After, Through: h.Through,
		Heads: make([]*recordpb.Head, len(h.Heads)),
	}
	for i, head := range h.Heads {
		p := head.Position
		m.Heads[i] = &recordpb.Head{Log: head.Log, Epoch: p.Epoch, Seq: p.Seq, Chain: p.Chain[:]}
	}
	return proto.Marshal(m)
}

// DecodeHeartbeat reads what Encode wrote.
func DecodeHeartbeat(b []byte) (*Heartbeat, error) {
	var m recordpb.Heartbeat
	if err := proto.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("read a heartbeat: %w", err)
	}
	h := &Heartbeat{
		Core: m.Core, Settled: fromMillis(m.SettledMs), Since: fromMillis(m.SinceMs), After: m.After, Through: m.Through,
		Heads: make([]Head, len(m.Heads)),
	}
	for i, head := range m.Heads {
		p := Position{Epoch: head.Epoch, Seq: head.Seq}
		if !validLog(head.Log) || len(head.Chain) != len(p.Chain) || p.Epoch == 0 {
			return nil, fmt.Errorf("read a heartbeat: head %d is malformed", i)
		}
		copy(p.Chain[:], head.Chain)
		h.Heads[i] = Head{Log: head.Log, Position: p}
	}
	return h, nil
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
