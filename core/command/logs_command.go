package command

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
)

// checkWait is how long a check waits for edges: as long as one that is gone may still be listed.
const checkWait = 30 * time.Second

func logsCommand(stderr io.Writer) *cobra.Command {
	var how InspectOptions
	var machine bool
	cmd := &cobra.Command{
		Use:   "logs [LOG...]",
		Short: "Show where logs are: in the database, on the stream, in snapshots and on edges",
		Long: `Shows for each log the position in the database, how far the stream and the edges are, from which change on the database
still has it, and the newest snapshot. LOG is the id or the slug of a project or an organization; none means all. An edge
reports its 200 logs that say most: those in trouble, behind, and moved last.

With --check the state of each log is added up from the database and compared with what edges hold. That reads every entry.
It waits, at most for the time of --wait, until every edge that holds a log reports to be level with the database, but not
for logs that the report of an edge has no room for. The command fails where a state differs, and where one was not compared,
and names those.`,
		RunE: func(cmd *cobra.Command, logs []string) error {
			if how.Wait < 0 || cmd.Flags().Changed("wait") && !how.Check {
				return errors.New("--wait is how long --check waits for edges, such as 30s, or 0s to look once; it goes with --check alone")
			}
			cfg, logger, err := configured(stderr)
			if err != nil {
				return err
			}
			all, unreachable, err := InspectLogs(cmd.Context(), cfg, logs, how, logger)
			if err != nil {
				return err
			}
			if err := printLogs(cmd.OutOrStdout(), all, unreachable, machine); err != nil {
				return err
			}
			return verdict(all, how, unreachable)
		},
	}
	cmd.Flags().BoolVar(&how.Check, "check", false, "compare what edges hold with the database")
	cmd.Flags().DurationVar(&how.Wait, "wait", checkWait, "how long --check waits for edges to be level; 0s looks once")
	cmd.Flags().BoolVar(&machine, "json", false, "print JSON")
	return cmd
}

// verdict is an error where a check found something, or could not look.
func verdict(all []LogStatus, how InspectOptions, unreachable error) error {
	if !how.Check {
		return nil
	}
	errs := []error{unreachable}
	for _, l := range all {
		if l.Why != "" {
			errs = append(errs, fmt.Errorf("not compared: %s (%s): %s", l.Log, l.name(), l.Why))
		}
		for _, e := range l.Edges {
			switch e.State {
			case "differs":
				errs = append(errs, fmt.Errorf("%s holds another state of %s than the database; run `edge rebuild %s` there", e.Edge, l.Log, l.Log))
			case "not compared":
				errs = append(errs, fmt.Errorf("not compared: %s (%s) on %s: %s", l.Log, l.name(), e.Edge, e.Why))
			}
		}
	}
	return errors.Join(errs...)
}

func printLogs(w io.Writer, all []LogStatus, unreachable error, machine bool) error {
	if machine {
		return printLogsJSON(w, all, unreachable)
	}
	if unreachable != nil {
		if _, err := fmt.Fprintln(w, "The stream, and the edges that report through it, cannot be asked:", unreachable); err != nil {
			return err
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "LOG\tSLUG\tEPOCH\tSEQUENCE\tRELEASE\tSTREAM\tKEPT FROM\tSNAPSHOT\tEDGES")
	for _, l := range all {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\n", l.Log, l.name(), l.Head.Epoch, l.Head.Seq, l.release(),
			orUnknown(l.OnStream), number(l.Oldest), l.newest(), l.edges())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return printCompared(w, all, unreachable)
}

// printCompared says how many states a check compared, and nothing without one.
func printCompared(w io.Writer, all []LogStatus, unreachable error) error {
	if len(all) == 0 || all[0].State == "" || unreachable != nil {
		return nil
	}
	count := map[string]int{}
	for _, l := range all {
		if l.Why != "" {
			count["not compared"]++
		}
		for _, e := range l.Edges {
			count[e.State]++
		}
	}
	_, err := fmt.Fprintf(w, "States of logs on edges: %d equal, %d differ, %d not compared\n", count["equal"], count["differs"], count["not compared"])
	return err
}

type logBody struct {
	Log      string        `json:"log"`
	Slug     string        `json:"slug"`
	Deleted  bool          `json:"deleted"`
	Position string        `json:"position"`
	Changed  string        `json:"changed"`
	Release  uint64        `json:"release,omitzero"`
	Reserved uint64        `json:"reserved,omitzero"`
	Oldest   uint64        `json:"oldest"`
	Stream   string        `json:"stream,omitempty"`
	Snapshot *snapshotBody `json:"snapshot"`
	State    string        `json:"state,omitempty"`
	// Why says why --check compared the state with that of no edge.
	Why   string       `json:"why,omitempty"`
	Edges []edgeAtBody `json:"edges"`
}

type snapshotBody struct {
	Position string `json:"position"`
	Written  string `json:"written"`
}

type edgeAtBody struct {
	Edge     string `json:"edge"`
	Position string `json:"position"`
	Place    string `json:"place"`
	// State is "equal", "differs" or "not compared" with --check, and Why says why not.
	State string `json:"state,omitempty"`
	Why   string `json:"why,omitempty"`
}

func printLogsJSON(w io.Writer, all []LogStatus, unreachable error) error {
	out := struct {
		Logs        []logBody `json:"logs"`
		Unreachable string    `json:"unreachable,omitempty"`
	}{Logs: []logBody{}}
	if unreachable != nil {
		out.Unreachable = unreachable.Error()
	}
	for _, l := range all {
		body := logBody{l.Log, l.Slug, l.Deleted, l.Head.String(), l.Changed.Format(time.RFC3339), l.Release, l.Reserved, l.Oldest, l.OnStream,
			nil, l.State, l.Why, []edgeAtBody{}}
		if !l.SnapshotAt.IsZero() {
			body.Snapshot = &snapshotBody{l.Overview.Snapshot.String(), l.SnapshotAt.Format(time.RFC3339)}
		}
		for _, e := range l.Edges {
			body.Edges = append(body.Edges, edgeAtBody{e.Edge, e.At.String(), e.Place, e.State, e.Why})
		}
		out.Logs = append(out.Logs, body)
	}
	return printJSON(w, out)
}

func (l *LogStatus) name() string {
	if l.Deleted {
		return l.Slug + " (deleted)"
	}
	return l.Slug
}

// newest says how old the newest snapshot is, and how many changes came since.
func (l *LogStatus) newest() string {
	if l.SnapshotAt.IsZero() {
		return "none"
	}
	age := time.Since(l.SnapshotAt).Round(time.Second)
	if l.Overview.Snapshot.Epoch != l.Head.Epoch {
		return fmt.Sprintf("of epoch %d, %s old", l.Overview.Snapshot.Epoch, age)
	}
	return fmt.Sprintf("%d behind, %s old", l.Head.Seq-min(l.Head.Seq, l.Overview.Snapshot.Seq), age)
}

func (l *LogStatus) edges() string {
	var all []string
	for _, e := range l.Edges {
		all = append(all, e.Edge+" "+e.Place)
	}
	if len(all) == 0 {
		return "-"
	}
	return strings.Join(all, ", ")
}

// release is the newest release and, where numbers were left out behind it, the last of those.
func (l *LogStatus) release() string {
	if l.Reserved > l.Release {
		return fmt.Sprintf("%s (up to %d reserved)", number(l.Release), l.Reserved)
	}
	return number(l.Release)
}

func number(n uint64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

func orUnknown(s string) string {
	if s == "" {
		return "?"
	}
	return s
}
