package follow

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"svc/shared/content"
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
	// SilenceMs is how long ago the edge last heard core, in milliseconds; absent where it never did since it started.
	SilenceMs *int64 `json:"silenceMs,omitempty"`
	// Logs is how many logs the edge follows, Behind how many of them are behind core, Stopped how many are stopped.
	Logs    int `json:"logs"`
	Behind  int `json:"behind"`
	Stopped int `json:"stopped"`
	// Alarms are the edge's, the oldest first, at most ReportedAlarms.
	Alarms []telemetry.Alarm `json:"alarms,omitempty"`
	// KeysUsed is when API keys were last used, in Unix milliseconds, for those that were used last (credential.Uses).
	KeysUsed map[content.KeyID]int64 `json:"keysUsed,omitempty"`
	// Positions are those of all logs, or of the ReportedLogs that say most where there are more: in trouble, behind,
	// moved last.
	Positions []LogReport `json:"positions"`
}

// LogReport is where an edge stands in a log.
type LogReport struct {
	Log      string `json:"log"`
	Position string `json:"position"` // record.Position
	// State is the sum of row hashes (record.StateSum) in hexadecimal, empty where it could not be told.
	State   string `json:"state,omitempty"`
	Head    uint64 `json:"head"`              // the newest sequence that core is known to have
	Behind  uint64 `json:"behind,omitempty"`  // changes
	LateMs  int64  `json:"lateMs,omitempty"`  // since when
	Working string `json:"working,omitempty"` // LogStatus.Working
	Stopped bool   `json:"stopped,omitempty"`
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
	if silence := f.Silence(); silence != Never {
		ms := silence.Milliseconds()
		r.SilenceMs = &ms
	}
	r.Ready, r.Reasons = f.Ready()
	alarms := f.cfg.Alarms.List()
	for _, a := range alarms[:min(len(alarms), ReportedAlarms)] {
		a.Detail = shortened(a.Detail)
		r.Alarms = append(r.Alarms, a)
	}
	if f.cfg.KeysUsed != nil {
		r.KeysUsed = map[content.KeyID]int64{}
		for key, at := range f.cfg.KeysUsed() {
			r.KeysUsed[key] = at.UnixMilli()
		}
	}
	all := f.all()
	r.Logs = len(all)
	type ranked struct {
		LogStatus
		moved time.Time
	}
	statuses := make([]ranked, len(all))
	for i, l := range all {
		l.mu.Lock()
		moved := l.lastMove
		l.mu.Unlock()
		statuses[i] = ranked{l.status(now), moved}
		if statuses[i].Behind > 0 {
			r.Behind++
		}
		if t := statuses[i].Trouble; t != nil && t.Stopped {
			r.Stopped++
		}
	}
	urgency := func(s ranked) int {
		switch {
		case s.Trouble != nil:
			return 0
		case s.Behind > 0:
			return 1
		}
		return 2
	}
	slices.SortFunc(statuses, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(urgency(a), urgency(b)), b.moved.Compare(a.moved), cmp.Compare(a.Log, b.Log))
	})
	for _, s := range statuses[:min(len(statuses), ReportedLogs)] {
		r.Positions = append(r.Positions, f.reportLog(ctx, s.LogStatus))
	}
	return r
}

func (f *Follower) reportLog(ctx context.Context, s LogStatus) LogReport {
	r := LogReport{Log: s.Log, Position: s.Position.String(), Head: s.Head.Seq, Behind: s.Behind, LateMs: s.Late.Milliseconds(), Working: s.Working}
	if t := s.Trouble; t != nil {
		r.Stopped, r.Trouble = t.Stopped, shortened(t.Reason)
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
	every := time.NewTicker(f.cfg.Tuning.Report)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			f.sendReport(context.WithoutCancel(ctx)) // which keys were used since the last one
			return
		case <-every.C:
			f.sendReport(ctx)
		}
	}
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

func (f *Follower) saveLoop(ctx context.Context) {
	every := time.NewTicker(f.cfg.Tuning.Save)
	defer every.Stop()
	var saved Cursor
	save := func(ctx context.Context) {
		c := f.tracker.cursor()
		if c == saved || c.Stream == "" {
			return
		}
		if err := f.cfg.Applier.SetCursor(ctx, c); err != nil {
			f.cfg.Logger.Warn("the cursor cannot be saved; more is read again after a restart", "error", err)
			return
		}
		saved = c
	}
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			save(last)
			return
		case <-every.C:
			save(ctx)
		}
	}
}
