package local

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
)

// summarise prints where everything is.
func (s *Stack) summarise(out io.Writer, account Account) error {
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	row := func(name, where, what string) { fmt.Fprintf(table, "  %s\t%s\t%s\n", name, where, what) }
	fmt.Fprint(table, "\nEverything is ready.\n\n")
	row("core", s.URL("core"), "management: editors, CI, agents")
	for i, name := range s.Edges() {
		row(fmt.Sprintf("edge %d", i+1), s.URL(name), "public reads; everything else it passes on to core")
	}
	row("PostgreSQL", fmt.Sprintf("postgres://%s@%s/%s", postgresUser, s.address("postgres"), postgresDatabase), "the truth")
	row("NATS", "nats://"+s.address("nats"), "the log that edges follow")
	row("Redis", "redis://"+s.address("redis"), "shared rate limits")
	row("S3", s.s3URL(""), "bucket "+s3Bucket)
	fmt.Fprintln(table)
	row("metrics", s.MetricsURL("core"), "of core")
	for i, name := range s.Edges() {
		row("", s.MetricsURL(name), fmt.Sprintf("of edge %d", i+1))
	}
	fmt.Fprintln(table)
	row("settings", shortPath(s.envFile()), "addresses and a key that may do everything")
	row("secrets", shortPath(filepath.Join(s.cfg.Dir, "secrets.json")), "passwords of the services")
	row("logs", shortPath(s.LogDir()), "one file per part")
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nTo begin with, in another terminal:\n\n  set -a; . %s; set +a\n", shortPath(s.envFile()))
	if account.Project == "" {
		fmt.Fprint(out, "  curl -w '\\n' -H \"Authorization: Bearer $SVC_TOKEN\" $SVC_API_URL/v1/auth/whoami\n")
	} else {
		fmt.Fprint(out, "  curl -w '\\n' $SVC_EDGE_URL/v1/projects/$SVC_PROJECT/collections\n")
	}
	fmt.Fprintf(out, "\nCtrl-C here, or %s, stops it all; the data stays.\n\n", s.stopCommand())
	return nil
}

// describeRunning says where the stack is that another process runs.
func (s *Stack) describeRunning(out io.Writer, running *RunningError) error {
	text, err := os.ReadFile(s.envFile())
	if errors.Is(err, fs.ErrNotExist) {
		_, err := fmt.Fprintf(out, "The stack in %s is just starting or stopping (process %d); %s appears when it is ready.\n",
			shortPath(running.Dir), running.Pid, shortPath(s.envFile()))
		return err
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "The stack in %s is already running (process %d).\n\n", shortPath(running.Dir), running.Pid)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "SVC_TOKEN=") {
			line = fmt.Sprintf("SVC_TOKEN is in %s\n", shortPath(s.envFile()))
		}
		fmt.Fprint(out, "  ", line)
	}
	fmt.Fprintf(out, "\n%s ends it. For another one beside it set SVC_LOCAL_DIR and SVC_LOCAL_PORTS (such as SVC_LOCAL_PORTS=%d).\n", s.stopCommand(), suggestPorts())
	return nil
}

// stopCommand ends this stack, from another terminal.
func (s *Stack) stopCommand() string {
	if dir := shortPath(s.cfg.Dir); dir != "var" {
		return "SVC_LOCAL_DIR=" + dir + " bin/local stop"
	}
	return "bin/local stop"
}

// shortPath is the path as seen from here, when that is below here.
func shortPath(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	short, err := filepath.Rel(here, path)
	if err != nil || strings.HasPrefix(short, "..") {
		return path
	}
	return short
}
