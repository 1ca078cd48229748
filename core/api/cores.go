package api

import (
	"context"
	"time"

	"svc/core/wire"
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

// listCores shows the cores to an organization: of the alarms about logs, those of its own.
func listCores(c *call) (wire.List[wire.Core], error) {
	cores, err := c.server.Cores(c.ctx())
	if err != nil {
		return wire.List[wire.Core]{}, err
	}
	own, err := c.ownLogs()
	if err != nil {
		return wire.List[wire.Core]{}, err
	}
	bodies := make([]wire.Core, len(cores))
	for i, core := range cores {
		bodies[i] = wire.Core{Name: core.Name, Build: core.Build, StartedAt: wire.Time{Time: core.StartedAt}, ReportedAt: wire.Time{Time: core.ReportedAt}, Ready: len(core.Reasons) == 0,
			Reasons: append([]string{}, core.Reasons...), Alarms: alarmsOf(core.Alarms, own)}
	}
	return wire.List[wire.Core]{Data: bodies}, nil
}

// alarmsOf shows the alarms that are about the whole program or about one's own logs.
func alarmsOf(all []telemetry.Alarm, own map[string]bool) []wire.Alarm {
	bodies := []wire.Alarm{}
	for _, a := range all {
		if a.Subject == "" || own[a.Subject] {
			bodies = append(bodies, wire.Alarm{Alarm: a.Kind, Log: orNull(a.Subject), Detail: a.Detail, Since: wire.Time{Time: a.Since}})
		}
	}
	return bodies
}
