package edge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"svc/edge/store"
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
	root.AddCommand(serveCommand(stderr), rebuildCommand())
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(stderr, "edge: "+strings.ReplaceAll(err.Error(), "\n", "\nedge: "))
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

func rebuildCommand() *cobra.Command {
	var wait, fromNothing bool
	cmd := &cobra.Command{
		Use:   "rebuild [LOG...]",
		Short: "Load again what this edge holds, all of it or single logs",
		Long: `Has the edge that uses SVC_EDGE_DIR load again from snapshots what it holds, and let go of what core does not know. A
running edge begins within a second and goes on serving meanwhile; one that is not running does so after its start. LOG is
the id of a project (prj_…) or of an organization (org_…); none means all.

With --from-nothing the store of an edge that is stopped is deleted instead, for one whose files are damaged: after its
start it gets no requests that ask whether it is ready (/readyz) before it has loaded everything.`,
		RunE: func(cmd *cobra.Command, logs []string) error {
			dir, err := directory()
			if err != nil {
				return err
			}
			if fromNothing {
				return removeStore(cmd.OutOrStdout(), dir, logs, wait)
			}
			return askForRebuild(cmd.Context(), cmd.OutOrStdout(), dir, logs, wait)
		},
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until all is done")
	cmd.Flags().BoolVar(&fromNothing, "from-nothing", false, "delete the store of an edge that is stopped")
	return cmd
}

func askForRebuild(ctx context.Context, out io.Writer, dir string, logs []string, wait bool) error {
	if err := requestRebuild(dir, logs); err != nil {
		return err
	}
	if !wait {
		_, err := fmt.Fprintln(out, "The edge rebuilds what it holds; its log tells when that is done.")
		return err
	}
	if err := awaitRebuild(ctx, dir); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "The rebuild is done.")
	return err
}

func removeStore(out io.Writer, dir string, logs []string, wait bool) error {
	if len(logs) > 0 || wait {
		return errors.New("--from-nothing deletes the whole store of an edge that is stopped; it goes with no LOG and no --wait")
	}
	if err := store.Remove(dir); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "The store is deleted. The edge loads everything after its start.")
	return err
}
