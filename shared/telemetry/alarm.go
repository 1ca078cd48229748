package telemetry

import (
	"cmp"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// AlarmKind names a state that needs an operator. Kinds are part of what operators rely on: deploy/OPERATIONS.md says of
// each what to do.
type AlarmKind string

// Alarms of a core.
const (
	PublishingSuspended AlarmKind = "publishing_suspended"
	DatabaseWentBack    AlarmKind = "database_went_back"
	DatabaseNewer       AlarmKind = "database_newer"
	ClockWentBack       AlarmKind = "clock_went_back"
	RelayStalled        AlarmKind = "relay_stalled"
	SnapshotFailing     AlarmKind = "snapshot_failing"
)

// Alarms of both. StoreDiverged is one of the edge, and of the core that finds it out.
const (
	StreamAway    AlarmKind = "stream_away"
	StoreDiverged AlarmKind = "store_diverged"
)

// Alarms of an edge.
const (
	UnknownRecord AlarmKind = "unknown_record"
	ApplyFailing  AlarmKind = "apply_failing"
	DiskFull      AlarmKind = "disk_full"
	CoreSilent    AlarmKind = "core_silent"
)

// meanings is what the log says when an alarm begins.
var meanings = map[AlarmKind]string{
	PublishingSuspended: "nothing can be published before the database has been compared with what was published before",
	DatabaseWentBack:    "the database went back: releases that were published are lost",
	DatabaseNewer:       "a newer build migrated the database: upgrade this core",
	ClockWentBack:       "the database's clock went back",
	StreamAway:          "the stream cannot be reached: changes get to edges late",
	RelayStalled:        "a log does not get to the stream: edges get none of its changes",
	SnapshotFailing:     "a snapshot cannot be written",
	UnknownRecord:       "a log is stopped at a record that a newer build wrote: upgrade this edge",
	ApplyFailing:        "a log is stopped at a change that the store does not take",
	StoreDiverged:       "an edge holds something else than core: rebuild it",
	DiskFull:            "the disk is nearly full: this edge takes no changes once it is",
	CoreSilent:          "nothing is heard from any core: what this edge serves grows old",
}

// CoreAlarms lists the kinds of a core.
func CoreAlarms() []AlarmKind {
	return []AlarmKind{PublishingSuspended, DatabaseWentBack, DatabaseNewer, ClockWentBack, StreamAway, RelayStalled, SnapshotFailing, StoreDiverged}
}

// EdgeAlarms lists the kinds of an edge.
func EdgeAlarms() []AlarmKind {
	return []AlarmKind{UnknownRecord, ApplyFailing, StoreDiverged, DiskFull, CoreSilent, StreamAway}
}

// Alarm is a state that needs an operator. Subject is the log it is about; empty where it is about the whole program.
type Alarm struct {
	Kind    AlarmKind `json:"alarm"`
	Subject string    `json:"subject,omitempty"`
	Detail  string    `json:"detail"`
	Since   time.Time `json:"since"`
}

// Alarms holds the alarms of one program. Each is logged once when it begins and once when it is over, however often it
// is set meanwhile, and counted in the gauge svc_alarm. A nil *Alarms takes everything and tells no one.
type Alarms struct {
	logger *slog.Logger
	gauge  *prometheus.GaugeVec

	mu  sync.Mutex
	all map[alarmKey]Alarm
}

type alarmKey struct {
	kind    AlarmKind
	subject string
}

// NewAlarms returns the alarms of a program that can raise these kinds; each has a figure from the start on.
func NewAlarms(kinds []AlarmKind, r prometheus.Registerer, logger *slog.Logger) *Alarms {
	a := &Alarms{logger: logger, all: map[alarmKey]Alarm{}, gauge: prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "svc_alarm", Help: "Alarms that are on, by kind: the number of logs they are about, or 1.",
	}, []string{"alarm"})}
	if r != nil {
		r.MustRegister(a.gauge)
	}
	for _, k := range kinds {
		a.gauge.WithLabelValues(string(k)).Set(0)
	}
	return a
}

// Set raises an alarm, or says what is the matter now where it is on already.
func (a *Alarms) Set(kind AlarmKind, subject, detail string) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	key := alarmKey{kind, subject}
	alarm, on := a.all[key]
	if alarm.Detail = detail; on {
		a.all[key] = alarm
		return
	}
	a.all[key] = Alarm{Kind: kind, Subject: subject, Detail: detail, Since: time.Now().UTC()}
	a.gauge.WithLabelValues(string(kind)).Inc()
	a.logger.Error(meanings[kind], about(kind, subject, "detail", detail)...)
}

// SetFor raises an alarm for a while: of something that happened, and does not go on.
func (a *Alarms) SetFor(d time.Duration, kind AlarmKind, subject, detail string) {
	if a == nil {
		return
	}
	a.Set(kind, subject, detail)
	time.AfterFunc(d, func() { a.Clear(kind, subject) })
}

// Clear ends an alarm; one that is not on is none.
func (a *Alarms) Clear(kind AlarmKind, subject string) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	key := alarmKey{kind, subject}
	alarm, on := a.all[key]
	if !on {
		return
	}
	delete(a.all, key)
	a.gauge.WithLabelValues(string(kind)).Dec()
	a.logger.Info("an alarm is over", about(kind, subject, "lasted", time.Since(alarm.Since).Round(time.Millisecond))...)
}

// When raises an alarm, or ends it.
func (a *Alarms) When(on bool, kind AlarmKind, subject, detail string) {
	if on {
		a.Set(kind, subject, detail)
	} else {
		a.Clear(kind, subject)
	}
}

func about(kind AlarmKind, subject string, more ...any) []any {
	attrs := []any{"alarm", string(kind)}
	if subject != "" {
		attrs = append(attrs, "log", subject)
	}
	return append(attrs, more...)
}

// List returns the alarms that are on, the oldest first.
func (a *Alarms) List() []Alarm {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	list := make([]Alarm, 0, len(a.all))
	for _, alarm := range a.all {
		list = append(list, alarm)
	}
	slices.SortFunc(list, func(a, b Alarm) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Subject, b.Subject))
	})
	return list
}
