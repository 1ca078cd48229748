package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/core/wire"
)

type edgeList struct {
	Edges []wire.Edge `json:"edges"`
}

func (a *app) edgesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "edges [EDGE]",
		Short: "Show the edges, how far each has come and how far it is behind",
		Long:  "Show the edges of the deployment, how far each has come and how far it is behind; or the logs of one edge. It needs a\ncredential with the scope org:admin.",
	}
	return a.does(cmd, func(ctx context.Context, args []string) error {
		c, err := a.connect(ordinary)
		if err != nil {
			return err
		}
		a.meanwhile = "meanwhile " + a.typed("cores") + " tells since when NATS is away, and /readyz and /metrics of each edge how it is"
		var list edgeList
		err = a.during(ctx, "asking for the edges", nil, func(ctx context.Context) (err error) {
			list.Edges, err = c.Edges(ctx)
			return err
		})
		if err != nil {
			return err
		}
		if len(args) == 0 {
			return a.answer(list, list.show)
		}
		for _, e := range list.Edges {
			if e.ID == args[0] {
				return a.answer(edgeList{[]wire.Edge{e}}, func(p *page) { p.showEdge(e) })
			}
		}
		return failed("no edge %q has reported", args[0])
	})
}

func (l edgeList) show(p *page) {
	if len(l.Edges) == 0 {
		p.line("No edge has reported yet. Edges report every second; one that has just started may take a moment.")
		return
	}
	t := table{head: []string{"EDGE", "STATE", "LOGS", "BEHIND", "LAG", "REPORTED", "BUILD"}, flex: 6}
	for _, e := range l.Edges {
		state, look := edgeState(e)
		behind, lag := furthest(e)
		t.row(painted(bold, e.ID), painted(look, state), text(count(len(e.Logs))), text(count(int(behind))), text(lagText(lag)),
			text(e.ReportedAt.String()), painted(dim, e.Build))
	}
	p.table(t)
	for _, e := range l.Edges {
		p.showTrouble(e)
	}
}

func edgeState(e wire.Edge) (string, paint) {
	return stateOf(e.Ready, len(e.Alarms) > 0 || len(troubles(e)) > 0)
}

// troubles are the logs that stand still without an alarm that says so.
func troubles(e wire.Edge) []wire.EdgeLog {
	var out []wire.EdgeLog
	for _, l := range e.Logs {
		said := slices.ContainsFunc(e.Alarms, func(a wire.Alarm) bool { return a.Log != nil && *a.Log == l.Log })
		if l.Alarm != nil && !said {
			out = append(out, l)
		}
	}
	return out
}

// furthest is how far behind the edge is in the log where it is furthest.
func furthest(e wire.Edge) (behind uint64, lagMS float64) {
	for _, l := range e.Logs {
		behind, lagMS = max(behind, l.Behind), max(lagMS, l.LagMS)
	}
	return behind, lagMS
}

func (p *page) showTrouble(e wire.Edge) {
	if !e.Ready && len(e.Reasons) > 0 {
		p.labelled(plain, clean(e.ID)+" is not ready:", strings.Join(e.Reasons, "; "))
	}
	showAlarms(p, e.ID, e.Alarms)
	for _, l := range troubles(e) {
		p.labelled(red, "alarm:", e.ID+" "+l.Log+": "+*l.Alarm)
	}
}

func (p *page) showEdge(e wire.Edge) {
	state, _ := edgeState(e)
	p.facts([2]string{"edge", e.ID}, [2]string{"state", state}, [2]string{"build", e.Build},
		[2]string{"started", e.StartedAt.String()}, [2]string{"reported", e.ReportedAt.String()})
	p.line("")
	t := table{head: []string{"LOG", "EPOCH", "POSITION", "HEAD", "BEHIND", "LAG", "READS", "STATE"}, flex: 8}
	for _, l := range e.Logs {
		t.row(text(l.Log), text(decimal(l.Epoch)), text(decimal(l.Seq)), text(decimal(l.Head)), text(count(int(l.Behind))),
			text(lagText(l.LagMS)), text(reads(l)), painted(dim, cut(l.StateHash, 17)))
	}
	p.table(t)
	p.showTrouble(e)
}

// reads is the release that reads answer, of a project's log.
func reads(l wire.EdgeLog) string {
	if l.Pinned != nil {
		return pinnedText(releaseText(l.Pinned))
	}
	return releaseText(l.Release)
}

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }

func lagText(ms float64) string {
	if ms < 1000 {
		return fmt.Sprintf("%.1f ms", ms)
	}
	if ms < 60_000 {
		return fmt.Sprintf("%.1f s", ms/1000)
	}
	return time.Duration(ms * float64(time.Millisecond)).Round(time.Second).String()
}
