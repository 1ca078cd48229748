package command

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"svc/core"
	"svc/core/account"
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
		{[]LogStatus{log("s", "s"), log("s", "s")}, nil, "4 equal, 0 differ, 0 not compared\n"},
		{[]LogStatus{log("s", "x")}, nil, "1 equal, 1 differ, 0 not compared\n"},
		{[]LogStatus{log("s", "")}, nil, "1 equal, 0 differ, 1 not compared\n"},
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

// A check does not wait for logs that reports have no room for, but for all others; it fails and names them.
func TestAReportWithoutRoomForALogIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	at := record.Position{Epoch: 1, Seq: 7}
	look := func(mine string, reported record.Position) []LogStatus {
		all := []LogStatus{{Overview: changelog.Overview{Log: "prj_1", Head: at}, State: "s"}, {Overview: changelog.Overview{Log: "prj_2", Head: at}, State: "s"}}
		data, err := json.Marshal(follow.Report{Logs: 300, Positions: []follow.LogReport{{Log: mine, Position: reported.String(), State: "s"}}})
		if err == nil {
			err = onEdges(map[string]stream.Report{"edge-1": {Data: data}}, all, true)
		}
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if all := look("prj_1", record.Position{Epoch: 1, Seq: 6}); !anyBehind(all) {
		t.Errorf("an edge that is behind is not waited for: %+v", all)
	}
	all := look("prj_1", at)
	if anyBehind(all) {
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

// TestAPlanIsShownWithItsBound, and one that has none without.
func TestAPlanIsShownWithItsBound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		plan             account.Plan
		shown, asMachine string
	}{
		{account.PlanFree, "has the plan free: 100000 public reads a month", `"plan": "free",
  "monthlyReads": 100000`},
		{account.PlanPro, "has the plan pro: 5000000 public reads a month", `"plan": "pro",
  "monthlyReads": 5000000`},
		{account.PlanUnlimited, "has the plan unlimited: as many public reads as it likes", `"plan": "unlimited",
  "monthlyReads": null`},
	} {
		for machine, want := range map[bool]string{false: c.shown, true: c.asMachine} {
			var out bytes.Buffer
			if err := printPlan(&out, &account.Organization{Slug: "acme", Plan: c.plan}, machine); err != nil || !strings.Contains(out.String(), want) || !strings.Contains(out.String(), "acme") || !strings.HasSuffix(out.String(), "\n") {
				t.Errorf("%s: %q, %v", c.plan, out.String(), err)
			}
		}
	}
}
