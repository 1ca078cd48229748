package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"svc/core/client"
	"svc/shared/content"
)

// coreNode is one core as it last reported itself.
type coreNode struct {
	Name       string   `json:"name"`
	Build      string   `json:"build"`
	StartedAt  string   `json:"startedAt"`
	ReportedAt string   `json:"reportedAt"`
	Ready      bool     `json:"ready"`
	Reasons    []string `json:"reasons"`
	Alarms     []alarm  `json:"alarms"`
}

// alarm is a state of a program that needs an operator.
type alarm struct {
	Alarm  string  `json:"alarm"`
	Log    *string `json:"log"` // null: it is about the whole program
	Detail string  `json:"detail"`
	Since  string  `json:"since"`
}

type coreList struct {
	Cores []coreNode `json:"cores"`
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
		cores, err := ask(a, "asking for the cores", func() ([]client.Core, error) { return a.client.Cores(ctx) })
		if err != nil {
			return err
		}
		list := coreList{Cores: []coreNode{}}
		for _, core := range cores {
			list.Cores = append(list.Cores, coreNode{
				core.Name, core.Build, content.FormatTime(core.StartedAt), content.FormatTime(core.ReportedAt),
				core.Ready, core.Reasons, alarmsOf(core.Alarms),
			})
		}
		return a.answer(list, list.show)
	})
}

func alarmsOf(in []client.Alarm) []alarm {
	out := make([]alarm, len(in))
	for i, a := range in {
		out[i] = alarm{a.Alarm, orNull(a.Log), a.Detail, content.FormatTime(a.Since)}
	}
	return out
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
		if !c.Ready {
			p.labelled(plain, c.Name+" is not ready:", strings.Join(c.Reasons, "; "))
		}
		showAlarms(p, c.Name, c.Alarms)
	}
}

// stateOf is how a core or an edge is: an alarm hides neither that it is ready nor that it is not.
func stateOf(ready, alarmed bool) (string, paint) {
	switch {
	case !ready && alarmed:
		return "not ready, alarm", red
	case alarmed:
		return "ready, alarm", red
	case !ready:
		return "not ready", yellow
	}
	return "ready", green
}

func showAlarms(p *page, program string, all []alarm) {
	for _, a := range all {
		about := a.Alarm
		if a.Log != nil {
			about += " " + *a.Log
		}
		p.labelled(red, "alarm:", program+" "+about+" since "+a.Since+": "+a.Detail)
	}
}
