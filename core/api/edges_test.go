package api_test

import (
	"context"
	"testing"
	"time"

	"svc/core/api"
	"svc/core/wire"
	"svc/shared/telemetry"
)

// TestEdgesShowAnOrganizationItsOwnLogs: positions, lag and state of every edge, and nothing of other organizations.
func TestEdgesShowAnOrganizationItsOwnLogs(t *testing.T) {
	t.Parallel()
	var fleet []wire.Edge
	b := newBed(t, func(c *api.Config) {
		c.Fleet = func(context.Context) ([]wire.Edge, error) { return fleet, nil }
	})
	project := b.call(b.owner, "GET", "/v1/projects/site", "").at("data.id")
	stamp := wire.Time{Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("", 3600))}
	fleet = []wire.Edge{
		{ID: "edge-1", Build: "v1", StartedAt: stamp, ReportedAt: stamp, Ready: true, Alarms: []wire.Alarm{
			{Alarm: telemetry.DiskFull, Detail: "1 byte is free", Since: stamp},
			{Alarm: telemetry.ApplyFailing, Log: &project, Detail: "no", Since: stamp},
			{Alarm: telemetry.ApplyFailing, Log: new("prj_00000000000000000000000000"), Detail: "somebody else's", Since: stamp},
		}, Logs: []wire.EdgeLog{
			{Log: project, Epoch: 2, Seq: 7, Head: 9, Behind: 2, LagMS: 1.5, Chain: "12", StateHash: "ab", Release: new(uint64(5)), Pinned: new(uint64(4))},
			{Log: string(b.org), Epoch: 1, Seq: 3, Head: 3, Chain: "34", StateHash: "cd", Alarm: new("stands still")},
			{Log: "prj_00000000000000000000000000", Seq: 1},
		}},
		{ID: "edge-2", ReportedAt: stamp, Reasons: []string{"starting"}},
	}
	got := string(b.call(b.owner, "GET", "/v1/edges", "").is(200).body)
	want := `{"data":[{"id":"edge-1","build":"v1","startedAt":"2026-03-01T11:00:00.000Z","reportedAt":"2026-03-01T11:00:00.000Z",` +
		`"ready":true,"reasons":[],"alarms":[{"alarm":"disk_full","log":null,"detail":"1 byte is free","since":"2026-03-01T11:00:00.000Z"},` +
		`{"alarm":"apply_failing","log":"` + project + `","detail":"no","since":"2026-03-01T11:00:00.000Z"}],"logs":[` +
		`{"log":"` + project + `","epoch":2,"seq":7,"head":9,"behind":2,"lagMs":1.5,"chain":"12","stateHash":"ab","release":5,"pinned":4,"alarm":null},` +
		`{"log":"` + string(b.org) + `","epoch":1,"seq":3,"head":3,"behind":0,"lagMs":0,"chain":"34","stateHash":"cd","release":null,"pinned":null,"alarm":"stands still"}]},` +
		`{"id":"edge-2","build":"","startedAt":null,"reportedAt":"2026-03-01T11:00:00.000Z","ready":false,"reasons":["starting"],"alarms":[],"logs":[]}],` +
		`"pagination":{"nextCursor":null}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestCoresShowTheirAlarms: of those about logs, an organization's own.
func TestCoresShowTheirAlarms(t *testing.T) {
	t.Parallel()
	var cores []wire.Core
	b := newBed(t, func(c *api.Config) {
		c.Cores = func(context.Context) ([]wire.Core, error) { return cores, nil }
	})
	stamp := wire.Time{Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	cores = []wire.Core{
		{Name: "core-a", Build: "v1", StartedAt: stamp, ReportedAt: stamp, Ready: true, Alarms: []wire.Alarm{
			{Alarm: telemetry.StreamAway, Detail: "gone", Since: stamp},
			{Alarm: telemetry.RelayStalled, Log: new("prj_00000000000000000000000000"), Detail: "somebody else's", Since: stamp},
		}},
		{Name: "core-b", Build: "v1", StartedAt: stamp, ReportedAt: stamp, Reasons: []string{"not connected to NATS"}},
	}
	got := string(b.call(b.owner, "GET", "/v1/cores", "").is(200).body)
	times := `"startedAt":"2026-03-01T12:00:00.000Z","reportedAt":"2026-03-01T12:00:00.000Z"`
	want := `{"data":[{"name":"core-a","build":"v1",` + times + `,"ready":true,"reasons":[],` +
		`"alarms":[{"alarm":"stream_away","log":null,"detail":"gone","since":"2026-03-01T12:00:00.000Z"}]},` +
		`{"name":"core-b","build":"v1",` + times + `,"ready":false,"reasons":["not connected to NATS"],"alarms":[]}],` +
		`"pagination":{"nextCursor":null}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
