package edge

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// Main runs the edge command and returns its exit code: 0, or 1 after a failure that was written to stderr.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use: "edge", Short: "The reading side of svc: published content, served from the edge's own disk",
		SilenceUsage: true, SilenceErrors: true,
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.AddCommand(serveCommand(stderr))
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(stderr, "edge:", err)
		return 1
	}
	return 0
}

func serveCommand(stderr io.Writer) *cobra.Command {
	return &cobra.Command{
		Use: "serve", Short: "Follow core and serve reads until told to stop", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			cfg, err := FromEnvironment()
			if err != nil {
				return err
			}
			logger, err := cfg.Telemetry.Logger(stderr, "edge")
			if err != nil {
				return err
			}
			e, err := New(cmd.Context(), cfg, logger)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, e.Close()) }()
			return e.Run(cmd.Context())
		},
	}
}
