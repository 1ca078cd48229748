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
		c, err := a.connect(ordinary)
		if err != nil {
			return err
		}
		var list coreList
		err = a.during(ctx, "asking for the cores", nil, func(ctx context.Context) (err error) {
			list.Cores, err = c.Cores(ctx)
			return err
		})
		if err != nil {
			return err
		}
		return a.answer(list, list.show)
	})
}

func (l coreList) show(p *page) {
	t := table{head: []string{"CORE", "STATE", "STARTED", "REPORTED", "BUILD"}, flex: 4}
	for _, c := range l.Cores {
		state, look := stateOf(c.Ready, len(c.Alarms) > 0)
		t.row(painted(bold, c.Name), painted(look, state), text(c.StartedAt.String()), text(c.ReportedAt.String()), painted(dim, c.Build))
	}
	p.table(t)
	for _, c := range l.Cores {
		if !c.Ready {
			p.labelled(plain, clean(c.Name)+" is not ready:", strings.Join(c.Reasons, "; "))
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
