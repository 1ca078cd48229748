package wire

import "svc/shared/telemetry"

// Core is one core as it last reported itself.
type Core struct {
	Name       string   `json:"name"`
	Build      string   `json:"build"`
	StartedAt  Time     `json:"startedAt"`
	ReportedAt Time     `json:"reportedAt"`
	Ready      bool     `json:"ready"`
	Reasons    []string `json:"reasons"` // why it should get no traffic
	Alarms     []Alarm  `json:"alarms"`
}

// Edge is one edge as it last reported itself, with its position in the caller's logs.
type Edge struct {
	ID         string    `json:"id"`
	Build      string    `json:"build"`
	StartedAt  Time      `json:"startedAt"`
	ReportedAt Time      `json:"reportedAt"`
	Ready      bool      `json:"ready"`
	Reasons    []string  `json:"reasons"`
	Alarms     []Alarm   `json:"alarms"`
	Logs       []EdgeLog `json:"logs"`
}

// EdgeLog is where an edge stands in one log.
type EdgeLog struct {
	Log       string  `json:"log"`
	Epoch     uint64  `json:"epoch"`
	Seq       uint64  `json:"seq"`
	Head      uint64  `json:"head"`   // the newest sequence that the edge knows of
	Behind    uint64  `json:"behind"` // records
	LagMS     float64 `json:"lagMs"`  // how long it has been behind, in milliseconds
	Chain     string  `json:"chain"`  // the hash of everything applied so far
	StateHash string  `json:"stateHash"`
	Release   *uint64 `json:"release"` // the newest one; null for an organization's log
	Pinned    *uint64 `json:"pinned"`  // the release that reads answer from instead
	Alarm     *string `json:"alarm"`   // why the log stands still; null while it moves
}

// Alarm is a state of a process that needs an operator.
type Alarm struct {
	Alarm  telemetry.AlarmKind `json:"alarm"`
	Log    *string             `json:"log"` // null: it is about the whole process
	Detail string              `json:"detail"`
	Since  Time                `json:"since"`
}
