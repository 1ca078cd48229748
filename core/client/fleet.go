package client

import (
	"context"
	"time"
)

// Alarm is a state of a program that needs an operator. Log is empty where it is about the whole program.
type Alarm struct {
	Alarm  string    `json:"alarm"`
	Log    string    `json:"log"`
	Detail string    `json:"detail"`
	Since  time.Time `json:"since"`
}

// Core is one core as it last reported itself.
type Core struct {
	Name       string    `json:"name"`
	Build      string    `json:"build"`
	StartedAt  time.Time `json:"startedAt"`
	ReportedAt time.Time `json:"reportedAt"`
	Ready      bool      `json:"ready"`
	Reasons    []string  `json:"reasons"`
	Alarms     []Alarm   `json:"alarms"`
}

// Cores lists the cores, the one that answers first.
func (c *Client) Cores(ctx context.Context) ([]Core, error) {
	p, err := page[Core](ctx, c, "/v1/cores", nil)
	return p.Items, err
}

// Edge is one edge node as the fleet view shows it.
type Edge struct {
	ID         string    `json:"id"`
	Build      string    `json:"build"`
	StartedAt  time.Time `json:"startedAt"`
	ReportedAt time.Time `json:"reportedAt"`
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
	Head      uint64  `json:"head"`
	Behind    uint64  `json:"behind"`
	LagMS     float64 `json:"lagMs"`
	Chain     string  `json:"chain"`
	StateHash string  `json:"stateHash"`
	Release   *uint64 `json:"release"` // the newest one; nil of an organization's log
	Pinned    *uint64 `json:"pinned"`  // the release that reads answer instead
	Alarm     string  `json:"alarm"`
}

// Edges lists the fleet with positions and lag.
func (c *Client) Edges(ctx context.Context) ([]Edge, error) {
	p, err := page[Edge](ctx, c, "/v1/edges", nil)
	return p.Items, err
}
