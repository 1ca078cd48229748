package core

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"svc/core/changelog"
	"svc/replication/follow"
	"svc/replication/stream"
)

func TestSkipNeedsWithoutStream(t *testing.T) {
	_, err := Recover(t.Context(), Config{}, RecoverOptions{Skip: 5}, slog.New(slog.DiscardHandler))
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
	var out bytes.Buffer
	if err := printRecovered(&out, Recovered{}, true); err != nil || !strings.HasSuffix(out.String(), "}\n") {
		t.Errorf("%q, %v", out.String(), err)
	}
}

func TestAddressesAreShownWithoutSecrets(t *testing.T) {
	if got := withoutSecrets("nats://token@a:4222,nats://u:p@b:4222,c:1"); got != "a:4222, b:4222, c:1" {
		t.Error(got)
	}
}

func TestACheckSaysWhatItCompared(t *testing.T) {
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
	then, now := stream.Report{At: time.Unix(1, 0)}, stream.Report{At: time.Unix(2, 0)}
	full, part := &follow.Report{Logs: 1, Positions: make([]follow.LogReport, 1)}, &follow.Report{Logs: 2, Positions: make([]follow.LogReport, 1)}
	for _, c := range []struct {
		report     *follow.Report
		now, first stream.Report
		want       string
	}{
		{full, now, then, ""},
		{full, now, stream.Report{}, ""}, // an edge that came since, or a check that looks once
		{full, then, then, "not reported since"},
		{part, now, then, "1 of its 2 logs"},
	} {
		if got := unreported(c.report, c.now, c.first); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%q instead of %q", got, c.want)
		}
	}
}

func TestWaitGoesWithACheck(t *testing.T) {
	for _, args := range [][]string{{"logs", "--wait", "5s"}, {"logs", "--check", "--wait", "-1s"}} {
		var out bytes.Buffer
		if code := Main(t.Context(), args, &out, &out); code == 0 || !strings.Contains(out.String(), "--wait is how long") {
			t.Errorf("%v: exit %d, %s", args, code, out.String())
		}
	}
}
