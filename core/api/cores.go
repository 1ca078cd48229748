package api

import (
	"context"
	"time"

	"svc/shared/telemetry"
)

// Core is what a core last said of itself.
type Core struct {
	Name       string
	Build      string
	StartedAt  time.Time
	ReportedAt time.Time
	Reasons    []string // why it should get no traffic
	Alarms     []telemetry.Alarm
}

// Cores returns what is known of every core, the answering one first.
type Cores func(ctx context.Context) ([]Core, error)

type coreBody struct {
	Name       string      `json:"name"`
	Build      string      `json:"build"`
	StartedAt  stamp       `json:"startedAt"`
	ReportedAt stamp       `json:"reportedAt"`
	Ready      bool        `json:"ready"`
	Reasons    []string    `json:"reasons"`
	Alarms     []alarmBody `json:"alarms"`
}

type alarmBody struct {
	Alarm  telemetry.AlarmKind `json:"alarm"`
	Log    *string             `json:"log"` // null: it is about the whole program
	Detail string              `json:"detail"`
	Since  stamp               `json:"since"`
}

// listCores shows the cores to an organization: of the alarms about logs, those of its own.
func listCores(c *call) (listing[coreBody], error) {
	cores, err := c.server.Cores(c.ctx())
	if err != nil {
		return listing[coreBody]{}, err
	}
	own, err := c.ownLogs()
	if err != nil {
		return listing[coreBody]{}, err
	}
	bodies := make([]coreBody, len(cores))
	for i, core := range cores {
		bodies[i] = coreBody{core.Name, core.Build, stamp(core.StartedAt), stamp(core.ReportedAt), len(core.Reasons) == 0,
			append([]string{}, core.Reasons...), alarmsOf(core.Alarms, own)}
	}
	return listing[coreBody]{Data: bodies}, nil
}

// alarmsOf shows the alarms that are about the whole program or about one's own logs.
func alarmsOf(all []telemetry.Alarm, own map[string]bool) []alarmBody {
	bodies := []alarmBody{}
	for _, a := range all {
		if a.Subject == "" || own[a.Subject] {
			bodies = append(bodies, alarmBody{a.Kind, orNull(a.Subject), a.Detail, stamp(a.Since)})
		}
	}
	return bodies
}
