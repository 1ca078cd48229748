package follow

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"svc/shared/lifecycle"
	"svc/shared/telemetry"
)

// Report is what an edge tells of itself about every second; core reads it for its list of edges. Times are of the
// edge's clock.
type Report struct {
	Edge    string    `json:"edge"`
	Build   string    `json:"build"`
	Started time.Time `json:"started"`
	At      time.Time `json:"at"`
	Ready   bool      `json:"ready"`
	Reasons []string  `json:"reasons,omitempty"`
	Logs    int       `json:"logs"` // how many the edge follows
	// Alarms are the edge's, the oldest first, at most ReportedAlarms.
	Alarms []telemetry.Alarm `json:"alarms,omitempty"`
	// Positions are those of all logs, or of the ReportedLogs that say most where there are more: in trouble, behind,
	// moved last.
	Positions []LogReport `json:"positions"`
}

// LogReport is where an edge stands in a log.
type LogReport struct {
	Log      string `json:"log"`
	Position string `json:"position"` // record.Position
	// State is the sum of row hashes (record.StateSum) in hexadecimal, empty where it could not be told.
	State  string `json:"state,omitempty"`
	Head   uint64 `json:"head"`             // the newest sequence that core is known to have
	LateMs int64  `json:"lateMs,omitempty"` // since when the edge is behind
	// Release is the newest release of a project's log, 0 before the first, absent where it is not told; ReleaseMs is its
	// time. Pinned is the release that reads without one of their own answer, where there is one.
	Release   *uint64 `json:"release,omitempty"`
	ReleaseMs int64   `json:"releaseMs,omitempty"`
	Pinned    uint64  `json:"pinned,omitempty"`
	Trouble   string  `json:"trouble,omitempty"`
}

// ReportedLogs is how many logs one report tells at most, so that it fits a message.
const ReportedLogs = 200

// ReportedAlarms is how many alarms one report tells at most.
const ReportedAlarms = 100

// maxTrouble shortens what a report says of a trouble or an alarm, in bytes; the edge's log has all of it.
const maxTrouble = 300

func shortened(s string) string {
	if len(s) > maxTrouble {
		s = s[:maxTrouble] + "…"
	}
	return strings.ToValidUTF8(s, "")
}

// DecodeReport reads a report.
func DecodeReport(data []byte) (*Report, error) {
	r := &Report{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("read the report of an edge: %w", err)
	}
	return r, nil
}

// Report tells how this edge stands now.
func (f *Follower) Report(ctx context.Context) Report {
	now := f.cfg.Now()
	r := Report{
		Edge: f.cfg.Edge, Build: f.cfg.Build, Started: f.started.UTC(), At: now.UTC(),
	}
	r.Ready, r.Reasons = f.Ready()
	alarms := f.cfg.Alarms.List()
	for _, a := range alarms[:min(len(alarms), ReportedAlarms)] {
		a.Detail = shortened(a.Detail)
		r.Alarms = append(r.Alarms, a)
	}
	statuses := f.statuses()
	r.Logs = len(statuses)
	urgency := func(s LogStatus) int {
		switch {
		case s.Trouble != nil:
			return 0
		case s.Behind > 0:
			return 1
		}
		return 2
	}
	slices.SortFunc(statuses, func(a, b LogStatus) int {
		return cmp.Or(cmp.Compare(urgency(a), urgency(b)), b.moved.Compare(a.moved), cmp.Compare(a.Log, b.Log))
	})
	for _, s := range statuses[:min(len(statuses), ReportedLogs)] {
		r.Positions = append(r.Positions, f.reportLog(ctx, s))
	}
	return r
}

func (f *Follower) reportLog(ctx context.Context, s LogStatus) LogReport {
	r := LogReport{Log: s.Log, Position: s.Position.String(), Head: s.Head.Seq, LateMs: s.Late.Milliseconds()}
	if s.Trouble != nil {
		r.Trouble = shortened(s.Trouble.Reason)
	}
	if c, err := f.cfg.Applier.Content(ctx, s.Log); err == nil && !isOrganization(s.Log) {
		r.Release, r.Pinned = &c.Newest.Number, c.Pinned
		if c.Newest.Number > 0 {
			r.ReleaseMs = c.Newest.Time.UnixMilli()
		}
	}
	if sum, held, err := f.cfg.Applier.StateHash(ctx, s.Log); err == nil && held && f.Position(s.Log) == s.Position {
		r.State = sum.String()
	}
	return r
}

func (f *Follower) reportLoop(ctx context.Context) {
	lifecycle.Every(ctx, f.cfg.Tuning.Report, func() { f.sendReport(ctx) })
}

func (f *Follower) sendReport(ctx context.Context) {
	if !f.cfg.Stream.Connected() {
		return
	}
	data, err := json.Marshal(f.Report(ctx))
	if err == nil {
		sending, cancel := context.WithTimeout(ctx, 2*f.cfg.Tuning.Report)
		defer cancel()
		err = f.cfg.Stream.Report(sending, f.cfg.Edge, data)
	}
	if err != nil && ctx.Err() == nil {
		f.cfg.Metrics.reportFailures.Inc()
		f.cfg.Logger.Debug("a report did not get through", "error", err)
	}
}
