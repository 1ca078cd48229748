package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"svc/bench/node"
	"svc/core/wire"
	"svc/deploy/local"
)

// TestOperatorsSeeAndMendADeployment: commands beside the programs tell where every log is, write snapshots, and have an edge
// load everything again while it answers readers the same as ever; what is wrong with an edge or a core shows in the lists of
// both, and goes from there when it is over; and every program has its figures.
func TestOperatorsSeeAndMendADeployment(t *testing.T) {
	b := newPrivateBed(t, local.Config{Cores: 2}, posts)
	set := b.set("Posts")
	var first string
	for n := range 30 {
		if id := b.create(set, "posts", postNumber(n)); first == "" {
			first = id
		}
	}
	b.publish(set)
	for n := range 5 {
		b.write(first, map[string]string{"body": fmt.Sprintf("edit %d", n)})
	}
	b.await(6, "posts", b.nodes()...)
	b.checkLogs("core")
	b.checkLogs("core-2")

	printed, err := b.stack.Operate(t.Context(), "core", "snapshot", "--all", "--json")
	b.check(err)
	if lines := strings.Count(printed, `"new":true`); lines != 2 {
		t.Errorf("snapshots of %d logs were written: %s", lines, printed)
	}
	b.rebuild()
	b.checkLogs("core")
	b.agree([]string{"posts"}, b.edges()...)

	b.fillsUp(first)
	b.coresTell()
	for _, part := range []string{"core", "core-2", "edge-1", "edge-2"} {
		b.figures(part)
	}
}

// checkLogs waits until a core's command finds every log level on the stream and on both edges, in the state that the
// database has.
func (b *bed) checkLogs(core string) {
	b.t.Helper()
	b.until(func(ctx context.Context) error {
		printed, err := b.stack.Operate(ctx, core, "logs", "--check", "--json")
		if err != nil {
			return err
		}
		var out struct {
			Logs []struct {
				Log, Stream, State string
				Edges              []struct{ Edge, Place string }
			}
		}
		if err := json.Unmarshal([]byte(printed), &out, json.MatchCaseInsensitiveNames(true)); err != nil {
			return err
		}
		if len(out.Logs) != 2 {
			return fmt.Errorf("%d logs instead of an organization and a project: %s", len(out.Logs), printed)
		}
		for _, l := range out.Logs {
			if l.Stream != "level" || l.State == "" || len(l.Edges) != 2 || l.Edges[0].Place != "level" || l.Edges[1].Place != "level" {
				return fmt.Errorf("%+v", l)
			}
		}
		return nil
	})
}

// rebuild has edge-1 load everything again, under readers that see nothing of it.
func (b *bed) rebuild() {
	b.t.Helper()
	before := b.same([]node.Node{b.edge1}, b.list("posts"))
	ctx, stop := context.WithCancel(b.t.Context())
	read := make(chan error, 1)
	go func() {
		for ctx.Err() == nil {
			answer, err := b.edge1.Get(context.WithoutCancel(ctx), b.list("posts"))
			if err == nil && (answer.Status != http.StatusOK || string(answer.Body) != string(before.Body) || answer.Release != before.Release) {
				err = fmt.Errorf("while it is rebuilt, at release %d: %s", before.Release, answer)
			}
			if err != nil {
				read <- err
				return
			}
		}
		read <- nil
	}()
	_, err := b.stack.Operate(b.t.Context(), "edge-1", "rebuild", "--wait")
	stop()
	b.check(errors.Join(err, <-read))
}

// fillsUp takes an edge's disk away, as far as the edge can tell, and gives it back.
func (b *bed) fillsUp(entry string) {
	b.t.Helper()
	restart := func(variables ...string) {
		b.stack.SetEnvironment("edge-2", variables...)
		b.restart("edge-2")
	}
	restart("SVC_EDGE_MIN_FREE=1000000000000000000")
	release := b.write(entry, map[string]string{"body": "for those who have room"})
	b.until(func(ctx context.Context) error {
		edges, err := b.api.Edges(ctx)
		if err != nil {
			return err
		}
		full := slices.ContainsFunc(edges, func(e wire.Edge) bool {
			return e.ID == "edge-2" && slices.ContainsFunc(e.Alarms, func(a wire.Alarm) bool { return a.Alarm == "disk_full" && a.Log == nil }) &&
				slices.ContainsFunc(e.Logs, func(l wire.EdgeLog) bool { return l.Log == string(b.project.ID) && l.Alarm != nil })
		})
		if !full {
			return fmt.Errorf("no alarm about a full disk in %+v", edges)
		}
		return nil
	})
	b.await(release, "posts", b.core, b.edge1)
	restart()
	b.await(release, "posts", b.edge2)
	b.until(func(ctx context.Context) error {
		edges, err := b.api.Edges(ctx)
		for _, e := range edges {
			if len(e.Alarms) > 0 {
				err = errors.Join(err, fmt.Errorf("%s has alarms: %v", e.ID, e.Alarms))
			}
		}
		return err
	})
}

// coresTell has the stream go away and come back: each core tells of both, whichever is asked.
func (b *bed) coresTell() {
	b.t.Helper()
	alarmed := func(want int) func(context.Context) error {
		return func(ctx context.Context) error {
			cores, err := b.api.Cores(ctx)
			if err != nil {
				return err
			}
			on := 0
			for _, c := range cores {
				if slices.ContainsFunc(c.Alarms, func(a wire.Alarm) bool { return a.Alarm == "stream_away" }) {
					on++
				}
			}
			if len(cores) != 2 || on != want {
				return fmt.Errorf("%d of %d cores say that the stream is away", on, len(cores))
			}
			return nil
		}
	}
	b.until(alarmed(0))
	b.check(b.stack.StopPart("nats"))
	b.until(alarmed(2))
	b.check(b.stack.StartPart(b.t.Context(), "nats"))
	b.until(alarmed(0))
}

// figures waits until a part's metrics are what is known of them, with the others: an edge may find the stream again later
// than the cores, which told so.
func (b *bed) figures(part string) {
	b.t.Helper()
	known := map[string]float64{`svc_alarm{alarm="store_diverged"}`: 0, "svc_stream_connected": 1}
	others := []string{"go_goroutines"}
	if strings.HasPrefix(part, "edge") {
		known[`svc_follow_loads_total{result="failed"}`] = 0
		others = append(others, "svc_store_bytes", `svc_edge_requests_total{kind="read",status="2xx"}`)
	} else {
		known[`svc_audit_compared_total{result="different"}`] = 0
		others = append(others, "svc_heartbeats_total", "svc_snapshots_due")
	}
	b.until(func(ctx context.Context) error {
		figures, err := b.metrics(ctx, part)
		if err != nil {
			return err
		}
		var faults []error
		for name, want := range known {
			if value, there := figures[name]; !there || value != want {
				faults = append(faults, fmt.Errorf("the figure %s of %s is %v (there: %t), not %v", name, part, value, there, want))
			}
		}
		for _, name := range others {
			if _, there := figures[name]; !there {
				faults = append(faults, fmt.Errorf("%s has no figure %s", part, name))
			}
		}
		return errors.Join(faults...)
	})
}
