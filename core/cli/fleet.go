package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/core/wire"
)

type coreList struct {
	Cores []wire.Core `json:"cores"`
}

func (a *app) coresCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cores",
		Short: "Show the cores and their alarms",
		Long: "Show the cores of the deployment as they last reported themselves, and their alarms. It needs a credential with the\n" +
			"scope org:admin.",
	}
	return a.does(cmd, func(ctx context.Context, _ []string) error {
		if err := a.connect(ordinary); err != nil {
			return err
		}
		return reply(a, "asking for the cores", func() (list coreList, err error) {
			list.Cores, err = a.client.Cores(ctx)
			return list, err
		}, coreList.show)
	})
}

func (l coreList) show(p *page) {
	var t table
	t.row(plain, "CORE", "STATE", "STARTED", "REPORTED", "BUILD")
	for _, c := range l.Cores {
		state, look := stateOf(c.Ready, len(c.Alarms) > 0)
		t.row(look, c.Name, state, c.StartedAt, c.ReportedAt, c.Build)
	}
	p.table(t)
	for _, c := range l.Cores {
		p.showTrouble(c.Name, c.Reasons, c.Alarms)
	}
}

// stateOf is how a core or an edge is: an alarm hides neither that it is ready nor that it is not.
func stateOf(ready, alarm bool) (string, paint) {
	switch {
	case !ready && alarm:
		return "not ready, alarm", red
	case !ready:
		return "not ready", yellow
	case alarm:
		return "ready, alarm", red
	}
	return "ready", green
}

// showTrouble says why a program is not ready, and what its alarms are about.
func (p *page) showTrouble(program string, reasons []string, alarms []wire.Alarm) {
	if len(reasons) > 0 {
		p.labelled(plain, program+" is not ready:", strings.Join(reasons, "; "))
	}
	for _, a := range alarms {
		about := string(a.Alarm)
		if a.Log != nil {
			about += " " + *a.Log
		}
		p.labelled(red, "alarm:", program+" "+about+" since "+a.Since.String()+": "+a.Detail)
	}
}

// edgeState is stateOf an edge: a log that stands still is an alarm.
func edgeState(e wire.Edge) (string, paint) {
	return stateOf(e.Ready, len(e.Alarms) > 0 || slices.ContainsFunc(e.Logs, func(l wire.EdgeLog) bool { return l.Alarm != nil }))
}

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
		edges, err := ask(a, "asking for the edges", func() ([]wire.Edge, error) { return a.client.Edges(ctx) })
		if err != nil {
			return err
		}
		if len(args) == 0 {
			return a.answer(edgeList{edges}, edgeList{edges}.show)
		}
		i := slices.IndexFunc(edges, func(e wire.Edge) bool { return e.ID == args[0] })
		if i < 0 {
			return failed("no edge %q has reported", args[0])
		}
		return a.answer(edgeList{edges[i : i+1]}, func(p *page) { p.showEdge(edges[i]) })
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
		behind, lag := uint64(0), 0.0 // in the log where each is largest
		for _, l := range e.Logs {
			behind, lag = max(behind, l.Behind), max(lag, l.LagMS)
		}
		t.row(look, e.ID, state, count(len(e.Logs)), count(int(behind)), lagText(lag), e.ReportedAt, e.Build)
	}
	p.table(t)
	for _, e := range l.Edges {
		p.showTrouble(e.ID, e.Reasons, e.Alarms)
	}
}

func (p *page) showEdge(e wire.Edge) {
	state, _ := edgeState(e)
	p.facts([2]string{"edge", e.ID}, [2]string{"state", state}, [2]string{"build", e.Build},
		[2]string{"started", e.StartedAt.String()}, [2]string{"reported", e.ReportedAt.String()})
	p.line("")
	var t table
	t.row(plain, "LOG", "EPOCH", "POSITION", "HEAD", "BEHIND", "LAG", "READS", "STATE", "ALARM")
	for _, l := range e.Logs {
		reads := releaseText(l.Release)
		if l.Pinned != nil {
			reads = pinnedText(releaseText(l.Pinned))
		}
		t.row(bold, l.Log, l.Epoch, l.Seq, l.Head, count(int(l.Behind)), lagText(l.LagMS), reads, l.StateHash[:min(len(l.StateHash), 16)], deref(l.Alarm))
	}
	p.table(t)
	p.showTrouble(e.ID, e.Reasons, e.Alarms)
}

func lagText(ms float64) string {
	return time.Duration(ms * float64(time.Millisecond)).Round(100 * time.Microsecond).String()
}
