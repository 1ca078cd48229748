package cli

import (
	"context"
	"strings"

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
		cores, err := ask(a, "asking for the cores", func() ([]wire.Core, error) { return a.client.Cores(ctx) })
		if err != nil {
			return err
		}
		list := coreList{cores}
		return a.answer(list, list.show)
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

func showAlarms(p *page, program string, all []wire.Alarm) {
	for _, a := range all {
		about := string(a.Alarm)
		if a.Log != nil {
			about += " " + *a.Log
		}
		p.labelled(red, "alarm:", program+" "+about+" since "+a.Since.String()+": "+a.Detail)
	}
}
