package command

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"svc/core/access"
	"svc/core/account"
	"svc/core/postgres"
)

func planCommand() *cobra.Command {
	var machine bool
	cmd := &cobra.Command{
		Use:   "plan ORGANIZATION [PLAN]",
		Short: "Show the plan of an organization, or put it on another: free, pro or unlimited",
		Args:  cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			org, err := plan(cmd.Context(), args[0], args[1:])
			if err != nil {
				return err
			}
			return printPlan(cmd.OutOrStdout(), org, machine)
		},
	}
	cmd.Flags().BoolVar(&machine, "json", false, "print JSON")
	return cmd
}

// plan returns an organization, after it was put on the wanted plan where there is one.
func plan(ctx context.Context, ref string, wanted []string) (*account.Organization, error) {
	url, err := databaseURL()
	if err != nil {
		return nil, err
	}
	pool, err := postgres.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	if len(wanted) == 0 {
		return account.GetOrganization(ctx, pool, ref)
	}
	return account.SetPlan(ctx, pool, access.System(), ref, account.Plan(wanted[0]))
}

func printPlan(w io.Writer, org *account.Organization, machine bool) error {
	reads, limited := org.Plan.MonthlyReads()
	if machine {
		body := struct {
			Organization string       `json:"organization"`
			Plan         account.Plan `json:"plan"`
			MonthlyReads *uint64      `json:"monthlyReads"`
		}{Organization: org.Slug, Plan: org.Plan}
		if limited {
			body.MonthlyReads = &reads
		}
		return printJSON(w, body)
	}
	bound := "as many public reads as it likes"
	if limited {
		bound = fmt.Sprintf("%d public reads a month before it is told that it is beyond the plan", reads)
	}
	_, err := fmt.Fprintf(w, "The organization %s has the plan %s: %s.\n", org.Slug, org.Plan, bound)
	return err
}
