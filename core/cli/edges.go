package cli

import (
	"context"
	"slices"
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
		if err := a.connect(ordinary); err != nil {
			return err
		}
		a.meanwhile = "meanwhile " + a.typed("cores") + " tells since when NATS is away, and /readyz and /metrics of each edge how it is"
		edges, err := ask(a, "asking for the edges", func() ([]wire.Edge, error) { return a.client.Edges(ctx) })
		if err != nil {
			return err
		}
		list := edgeList{edges}
		if len(args) == 0 {
			return a.answer(list, list.show)
		}
		for _, e := range edges {
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
	var t table
	t.row(plain, "EDGE", "STATE", "LOGS", "BEHIND", "LAG", "REPORTED", "BUILD")
	for _, e := range l.Edges {
		state, look := edgeState(e)
		behind, lag := furthest(e)
		t.row(look, e.ID, state, count(len(e.Logs)), count(int(behind)), lagText(lag), e.ReportedAt, e.Build)
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
		p.labelled(plain, e.ID+" is not ready:", strings.Join(e.Reasons, "; "))
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
	var t table
	t.row(plain, "LOG", "EPOCH", "POSITION", "HEAD", "BEHIND", "LAG", "READS", "STATE")
	for _, l := range e.Logs {
		t.row(bold, l.Log, decimal(l.Epoch), decimal(l.Seq), decimal(l.Head), count(int(l.Behind)), lagText(l.LagMS), reads(l),
			l.StateHash[:min(len(l.StateHash), 16)])
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

func lagText(ms float64) string {
	return time.Duration(ms * float64(time.Millisecond)).Round(100 * time.Microsecond).String()
}
