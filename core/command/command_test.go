package command

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"svc/core"
	"svc/core/changelog"
	"svc/core/rewind"
	"svc/replication/follow"
	"svc/replication/record"
	"svc/replication/stream"
)

func TestSkipNeedsWithoutStream(t *testing.T) {
	t.Parallel()
	_, err := Recover(t.Context(), core.Config{}, RecoverOptions{Options: rewind.Options{Skip: 5}}, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "--without-stream") {
		t.Error(err)
	}
}

func TestEveryLineOfAnErrorNamesTheProgramAndEveryFaultIsNamed(t *testing.T) {
	for _, name := range []string{"SVC_NATS_URL", "SVC_DATABASE_URL", "SVC_CLUSTER_SECRET"} {
		t.Setenv(name, "")
	}
	var out bytes.Buffer
	if code := Main(t.Context(), []string{"logs"}, &out, &out); code != 1 {
		t.Errorf("exit %d", code)
	}
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, "core: ") {
			t.Errorf("%q", line)
		}
	}
	for _, name := range []string{"SVC_NATS_URL", "SVC_DATABASE_URL", "SVC_CLUSTER_SECRET"} {
		if !strings.Contains(out.String(), name) {
			t.Errorf("%s is not named: %s", name, out.String())
		}
	}
}

func TestJSONEndsWithItsLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := printRecovered(&out, rewind.Recovered{}, true); err != nil || !strings.HasSuffix(out.String(), "}\n") {
		t.Errorf("%q, %v", out.String(), err)
	}
}

func TestAddressesAreShownWithoutSecrets(t *testing.T) {
	t.Parallel()
	if got := withoutSecrets("nats://token@a:4222,nats://u:p@b:4222,c:1"); got != "a:4222, b:4222, c:1" {
		t.Error(got)
	}
}

func TestACheckSaysWhatItCompared(t *testing.T) {
	t.Parallel()
	log := func(states ...string) LogStatus {
		l := LogStatus{Overview: changelog.Overview{Log: "prj_1", Release: 7, Reserved: 12}, State: "s"}
		for i, state := range states {
			e := EdgeStatus{Edge: []string{"edge-1", "edge-2"}[i], Place: "level"}
			e.compare("s", follow.LogReport{State: state})
			l.Edges = append(l.Edges, e)
		}
		return l
	}
	for _, c := range []struct {
		all  []LogStatus
		away error
		want string
	}{
		{[]LogStatus{log("s", "s"), log("s", "s")}, nil, "2 edges compared in 2 logs: all equal\n"},
		{[]LogStatus{log("s", "x")}, nil, "prj_1 on edge-2: differs\n"},
		{[]LogStatus{log("s", "")}, nil, "1 equal, 0 differ, 1 not compared\n"},
		{[]LogStatus{log()}, nil, "0 edges compared in 1 log: 0 equal"},
		{[]LogStatus{log("s")}, nil, "7 (up to 12 reserved)"},
	} {
		var out bytes.Buffer
		if err := printLogs(&out, c.all, c.away, false); err != nil || !strings.Contains(out.String(), c.want) {
			t.Errorf("%q is not in %s, %v", c.want, out.String(), err)
		}
	}
	unreported := log()
	unreported.Why = "no edge reports to hold it"
	for _, l := range []LogStatus{log("s", "x"), log("s", ""), unreported} {
		if verdict([]LogStatus{log("s", "s"), l}, InspectOptions{Check: true}, nil) == nil {
			t.Errorf("a check passes with %+v", l)
		}
		if err := verdict([]LogStatus{l}, InspectOptions{}, errors.New("away")); err != nil {
			t.Errorf("without a check: %v", err)
		}
	}
	if err := verdict([]LogStatus{log("s", "s")}, InspectOptions{Check: true}, nil); err != nil {
		t.Error(err)
	}
	var out bytes.Buffer
	if err := printLogs(&out, nil, errors.New("away"), false); err != nil || !strings.HasPrefix(out.String(), "The stream") {
		t.Errorf("%s, %v", out.String(), err)
	}
}

// An edge may hold what its report leaves out: where the report is not all of it, or older than the check.
func TestALogThatAnEdgeLeavesOutIsHeldByItOnlyWhenItsReportIsFullAndNew(t *testing.T) {
	t.Parallel()
	then, now := stream.Report{At: time.Unix(1, 0)}, stream.Report{At: time.Unix(2, 0)}
	full, part := &follow.Report{Logs: 1, Positions: make([]follow.LogReport, 1)}, &follow.Report{Logs: 2, Positions: make([]follow.LogReport, 1)}
	for _, c := range []struct {
		report     *follow.Report
		now, first stream.Report
		want       string
		noRoom     bool
	}{
		{full, now, then, "", false},
		{full, now, stream.Report{}, "", false}, // an edge that came since, or a check that looks once
		{full, then, then, "not reported since", false},
		{part, then, then, "not reported since", false}, // it is in the next one if it has moved
		{part, now, then, "1 of its 2 logs", true},
	} {
		got, noRoom := unreported(c.report, c.now, c.first)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) || noRoom != c.noRoom {
			t.Errorf("%q, %t instead of %q, %t", got, noRoom, c.want, c.noRoom)
		}
	}
}

// A check does not wait for logs that reports have no room for, but for all others; it fails and names them.
func TestAReportWithoutRoomForALogIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	at := record.Position{Epoch: 1, Seq: 7}
	look := func(mine string, reported record.Position, reportedAt int64) []LogStatus {
		all := []LogStatus{{Overview: changelog.Overview{Log: "prj_1", Head: at}, State: "s"}, {Overview: changelog.Overview{Log: "prj_2", Head: at}, State: "s"}}
		data, err := json.Marshal(follow.Report{Logs: 300, Positions: []follow.LogReport{{Log: mine, Position: reported.String(), State: "s"}}})
		if err == nil {
			report := stream.Report{At: time.Unix(reportedAt, 0), Data: data}
			err = onEdges(map[string]stream.Report{"edge-1": report}, map[string]stream.Report{"edge-1": {At: time.Unix(1, 0)}}, all, true)
		}
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if all := look("prj_1", at, 1); !mayStillTell(all) {
		t.Errorf("a report that is older than the check is taken for the last word: %+v", all)
	}
	if all := look("prj_1", record.Position{Epoch: 1, Seq: 6}, 2); !mayStillTell(all) {
		t.Errorf("an edge that is behind is not waited for: %+v", all)
	}
	all := look("prj_1", at, 2)
	if mayStillTell(all) {
		t.Errorf("it waits for a log that the report has no room for: %+v", all)
	}
	err := verdict(all, InspectOptions{Check: true}, nil)
	if err == nil || !strings.Contains(err.Error(), "prj_2") || !strings.Contains(err.Error(), "1 of its 300 logs") || strings.Contains(err.Error(), "prj_1") {
		t.Error(err)
	}
}

func TestWaitGoesWithACheck(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"logs", "--wait", "5s"}, {"logs", "--check", "--wait", "-1s"}} {
		var out bytes.Buffer
		if code := Main(t.Context(), args, &out, &out); code == 0 || !strings.Contains(out.String(), "--wait is how long") {
			t.Errorf("%v: exit %d, %s", args, code, out.String())
		}
	}
}

// Core is kept to its memory, or to that of GOMEMLIMIT where it is less.
func TestTheSmallerBoundOfMemoryHolds(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for _, c := range []struct{ environment, memory, want int64 }{
		{math.MaxInt64, 8 << 30, 8 << 30}, {4 << 30, 8 << 30, 4 << 30}, {16 << 30, 8 << 30, 8 << 30},
	} {
		debug.SetMemoryLimit(c.environment)
		limitMemory(c.memory)
		if got := debug.SetMemoryLimit(-1); got != c.want {
			t.Errorf("%d instead of %d", got, c.want)
		}
	}
}
