package command

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/core/rewind"
)

func recoverCommand(stderr io.Writer) *cobra.Command {
	var o RecoverOptions
	var machine bool
	cmd := &cobra.Command{
		Use:   "recover",
		Short: "After the database was restored from a backup: go on behind everything that was published before",
		Long: `Compares every log in the database with what the stream, the edges and the snapshots in object storage show of it.
Where they show changes that the database does not have, the log gets a new epoch, so that edges drop those changes, and
the project's next release comes behind the lost ones in number and time, so that neither is ever given twice.

A running core does the same by itself as far as the stream and the edges show it, before it lets anything be published.
This command also looks at the snapshots, shows what it finds, and goes on where the stream is lost (--without-stream).
It may run while cores do, and again at any time.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, logger, err := configured(stderr)
			if err != nil {
				return err
			}
			done, err := Recover(cmd.Context(), cfg, o, logger)
			if err != nil {
				return err
			}
			return printRecovered(cmd.OutOrStdout(), done, machine)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.DryRun, "dry-run", false, "change nothing; say what would be done")
	flags.BoolVar(&o.WithoutStream, "without-stream", false, "go by snapshots alone, where NATS or its data is lost")
	flags.Uint64Var(&o.Skip, "skip", 0, "with --without-stream: leave out this many release numbers behind the newest of every project, for good")
	flags.BoolVar(&machine, "json", false, "print JSON")
	return cmd
}

// recoveredBody is a line of the command's JSON.
type recoveredBody struct {
	Log      string   `json:"log"`
	Gone     bool     `json:"gone"`
	SeenBy   []string `json:"seenBy"`
	Seen     string   `json:"seen,omitempty"`
	Database string   `json:"database,omitempty"`
	Epoch    uint64   `json:"epoch,omitempty"`
	// LastRelease is the number behind which the project's next release comes.
	LastRelease uint64 `json:"lastRelease,omitempty"`
}

func printRecovered(w io.Writer, r rewind.Recovered, machine bool) error {
	if machine {
		out := struct {
			DryRun   bool            `json:"dryRun"`
			Compared bool            `json:"compared"`
			Logs     []recoveredBody `json:"logs"`
		}{r.DryRun, r.Compared, []recoveredBody{}}
		for _, l := range r.Logs {
			body := recoveredBody{Log: l.Loss.Log, Gone: l.Gone, SeenBy: append([]string{}, l.By...), Epoch: l.Epoch, LastRelease: l.Now.Number}
			if len(l.By) > 0 {
				body.Seen = l.Seen.String()
			}
			if !l.Gone {
				body.Database = l.Head.String()
			}
			out.Logs = append(out.Logs, body)
		}
		return printJSON(w, out)
	}
	for _, l := range r.Logs {
		if _, err := fmt.Fprintf(w, "%s: %s\n", l.Loss.Log, strings.Join(sentences(&l), "; ")); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, summary(&r))
	return err
}

// sentences say what was found about a log, and what follows.
func sentences(l *rewind.RecoveredLog) []string {
	if l.Gone {
		return []string{"the database does not have it, though " + strings.Join(l.By, " and ") + " saw it: it was made after the backup and is lost; edges serve it until they are rebuilt"}
	}
	var all []string
	if len(l.By) > 0 {
		all = append(all, fmt.Sprintf("seen at epoch %d, sequence %d by %s, while the database is at sequence %d",
			l.Seen.Epoch, l.Seen.Seq, strings.Join(l.By, ", "), l.Head.Seq))
	}
	if l.Epoch != l.EpochWas {
		all = append(all, fmt.Sprintf("epoch %d begins", l.Epoch))
	}
	if l.Now.Number != l.Was.Number {
		all = append(all, fmt.Sprintf("the next release comes after number %d instead of %d", l.Now.Number, l.Was.Number))
	} else if l.Now != l.Was {
		all = append(all, "the next release comes after "+l.Now.Time.Format(time.RFC3339))
	}
	return all
}

func summary(r *rewind.Recovered) string {
	changed := len(slices.DeleteFunc(slices.Clone(r.Logs), func(l rewind.RecoveredLog) bool { return l.Gone }))
	if r.DryRun {
		return fmt.Sprintf("Logs that would be changed: %d.", changed)
	}
	return fmt.Sprintf("Logs changed: %d. Releases can be published.", changed)
}
