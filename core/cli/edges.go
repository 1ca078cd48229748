package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/core/client"
	"svc/shared/content"
)

// edge is one edge node with its position in every log.
type edge struct {
	ID         string    `json:"id"`
	Build      string    `json:"build"`
	StartedAt  string    `json:"startedAt"`
	ReportedAt string    `json:"reportedAt"`
	Ready      bool      `json:"ready"`
	Reasons    []string  `json:"reasons"`
	Alarms     []alarm   `json:"alarms"`
	Logs       []edgeLog `json:"logs"`
}

type edgeLog struct {
	Log       string  `json:"log"`
	Epoch     uint64  `json:"epoch"`
	Seq       uint64  `json:"seq"`
	Head      uint64  `json:"head"`
	Behind    uint64  `json:"behind"`
	LagMS     float64 `json:"lagMs"`
	Chain     string  `json:"chain"`
	StateHash string  `json:"stateHash"`
	Release   *uint64 `json:"release"`
	Pinned    *uint64 `json:"pinned"`
	Alarm     *string `json:"alarm"`
}

type edgeList struct {
	Edges []edge `json:"edges"`
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
		edges, err := ask(a, "asking for the edges", func() ([]client.Edge, error) { return a.client.Edges(ctx) })
		if err != nil {
			return err
		}
		var list edgeList
		for _, e := range edges {
			list.Edges = append(list.Edges, edgeOf(e))
		}
		if len(args) == 0 {
			return a.answer(list, list.show)
		}
		for _, e := range list.Edges {
			if e.ID == args[0] {
				return a.answer(edgeList{[]edge{e}}, e.show)
			}
		}
		return failed("no edge %q has reported", args[0])
	})
}

func edgeOf(in client.Edge) edge {
	out := edge{
		ID: in.ID, Build: in.Build, StartedAt: content.FormatTime(in.StartedAt), ReportedAt: content.FormatTime(in.ReportedAt),
		Ready: in.Ready, Reasons: in.Reasons, Alarms: alarmsOf(in.Alarms),
	}
	for _, l := range in.Logs {
		out.Logs = append(out.Logs, edgeLog{l.Log, l.Epoch, l.Seq, l.Head, l.Behind, l.LagMS, l.Chain, l.StateHash, l.Release, l.Pinned, orNull(l.Alarm)})
	}
	return out
}

func (l edgeList) show(p *page) {
	if len(l.Edges) == 0 {
		p.line("No edge has reported yet. Edges report every second; one that has just started may take a moment.")
		return
	}
	var t table
	t.row(plain, "EDGE", "STATE", "LOGS", "BEHIND", "LAG", "REPORTED", "BUILD")
	for _, e := range l.Edges {
		state, look := e.state()
		behind, lag := e.furthest()
		t.row(look, e.ID, state, count(len(e.Logs)), count(int(behind)), lagText(lag), e.ReportedAt, e.Build)
	}
	p.table(t)
	for _, e := range l.Edges {
		e.showTrouble(p)
	}
}

func (e edge) state() (string, paint) {
	return stateOf(e.Ready, len(e.Alarms) > 0 || len(e.troubles()) > 0)
}

// troubles are the logs that stand still without an alarm that says so.
func (e edge) troubles() []edgeLog {
	var out []edgeLog
	for _, l := range e.Logs {
		said := slices.ContainsFunc(e.Alarms, func(a alarm) bool { return a.Log != nil && *a.Log == l.Log })
		if l.Alarm != nil && !said {
			out = append(out, l)
		}
	}
	return out
}

// furthest is how far behind the edge is in the log where it is furthest.
func (e edge) furthest() (behind uint64, lagMS float64) {
	for _, l := range e.Logs {
		behind, lagMS = max(behind, l.Behind), max(lagMS, l.LagMS)
	}
	return behind, lagMS
}

func (e edge) showTrouble(p *page) {
	if !e.Ready && len(e.Reasons) > 0 {
		p.labelled(plain, e.ID+" is not ready:", strings.Join(e.Reasons, "; "))
	}
	showAlarms(p, e.ID, e.Alarms)
	for _, l := range e.troubles() {
		p.labelled(red, "alarm:", e.ID+" "+l.Log+": "+*l.Alarm)
	}
}

func (e edge) show(p *page) {
	state, _ := e.state()
	p.facts([2]string{"edge", e.ID}, [2]string{"state", state}, [2]string{"build", e.Build},
		[2]string{"started", e.StartedAt}, [2]string{"reported", e.ReportedAt})
	p.line("")
	var t table
	t.row(plain, "LOG", "EPOCH", "POSITION", "HEAD", "BEHIND", "LAG", "READS", "STATE")
	for _, l := range e.Logs {
		t.row(bold, l.Log, decimal(l.Epoch), decimal(l.Seq), decimal(l.Head), count(int(l.Behind)), lagText(l.LagMS), l.reads(),
			l.StateHash[:min(len(l.StateHash), 16)])
	}
	p.table(t)
	e.showTrouble(p)
}

// reads is the release that reads answer, of a project's log.
func (l edgeLog) reads() string {
	if l.Pinned != nil {
		return pinnedText(releaseText(l.Pinned))
	}
	return releaseText(l.Release)
}

func lagText(ms float64) string {
	return time.Duration(ms * float64(time.Millisecond)).Round(100 * time.Microsecond).String()
}
