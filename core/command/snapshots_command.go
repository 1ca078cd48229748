package command

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
)

func snapshotCommand(stderr io.Writer) *cobra.Command {
	var all, fromNothing, machine bool
	cmd := &cobra.Command{
		Use:   "snapshot LOG...",
		Short: "Write snapshots now, and check that they are whole",
		Long: `Writes a snapshot of each log that has moved since its newest one, or whose newest one has lost objects, and reads the
newest one back, compared with its hashes. LOG is the id or the slug of a project or an organization. Cores write snapshots
by themselves; this is for the moment before something risky, and for finding out why they cannot. Cores may be running.

--from-nothing forgets what was written before and writes everything again: segments of old releases, which every snapshot shares and
which are otherwise written once, included. It is for an object storage that is no longer trusted.`,
		RunE: func(cmd *cobra.Command, logs []string) error {
			if all == (len(logs) > 0) {
				return errors.New("name the logs, or pass --all and no log")
			}
			cfg, logger, err := configured(stderr)
			if err != nil {
				return err
			}
			return WriteSnapshots(cmd.Context(), cfg, logs, fromNothing, func(w Written) error {
				return printWritten(cmd.OutOrStdout(), w, machine)
			}, logger)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all logs")
	cmd.Flags().BoolVar(&fromNothing, "from-nothing", false, "build on nothing that was written before")
	cmd.Flags().BoolVar(&machine, "json", false, "print a line of JSON for each log")
	return cmd
}

// writtenBody is a line of the command's JSON.
type writtenBody struct {
	Log         string  `json:"log"`
	New         bool    `json:"new"`
	Position    string  `json:"position"`
	Manifest    string  `json:"manifest"`
	TookSeconds float64 `json:"tookSeconds"`
}

func printWritten(w io.Writer, s Written, machine bool) error {
	if machine {
		body, err := json.Marshal(writtenBody{s.Log, s.New, s.Position.String(), s.Object, s.Took.Seconds()})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s\n", body)
		return err
	}
	what := "written at"
	if !s.New {
		what = "has not moved since the snapshot at"
	}
	_, err := fmt.Fprintf(w, "%s: %s epoch %d, sequence %d; it is whole (%s, %s)\n", s.Log, what, s.Position.Epoch, s.Position.Seq,
		s.Object, s.Took.Round(time.Millisecond))
	return err
}
