// Package bench measures the service on real stacks and compares their answers with what was published: every scenario starts
// its own deployment on free loopback ports, sends bounded traffic to it, stops it, and reports the figures of that run as a
// table and as var/bench/<scenario>.json. Rates are reported as ratios to a baseline of the same run, since machines differ. What
// full runs report is kept in bench/results, as a page and a chart too; bench/docs/BENCHMARKS.md says what it means.
package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// scenario is something to measure.
type scenario struct {
	// about is what it measures; %s stands for its size.
	name, about string
	run         func(ctx context.Context, b *Bench) error
	// size is how many entries a run has; nil where about does not say it.
	size func(c Config) int
	// edge adds variables to the environment of its edges.
	edge []string
	// alone leaves it out of "all", which shall end within 40 minutes on two cores.
	alone bool
	// stackless scenarios have no use for a stack.
	stackless bool
}

// description is what the scenario measures in a run, with the size of that run.
func (s scenario) description(c Config) string {
	if s.size == nil {
		return s.about
	}
	return fmt.Sprintf(s.about, thousands(s.size(c)))
}

// thousands writes a number with separators: 100,000.
func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return thousands(n/1000) + fmt.Sprintf(",%03d", n%1000)
}

func scenarios() []scenario {
	return []scenario{
		{name: "table", about: "the performance table: %s entries, in process and on an edge", run: performance, size: Config.corpusSize},
		{name: "history", about: "a site's real history, one release an edit, compared at many pins on every node", run: history},
		{name: "step", about: "readers across a release of %s entries", run: step, size: Config.stepSize},
		{name: "lag", about: "single-entry releases in a row, until each edge serves them", run: lag},
		{name: "beside", about: "releases, revocations and schema pushes until each edge shows them, also beside a huge release", run: beside},
		{name: "faults", about: "what goes on, and how soon, while parts are away and after", run: faults},
		{name: "projects", about: "an edge of very many projects: until it is ready, and what it keeps resident", run: projects, alone: true},
		{name: "rebuild", about: "edges that lost their disk or join late, byte for byte", run: rebuild, alone: true},
		{name: "memory", about: "resident memory of an edge after a crawl", run: memory, alone: true},
		{name: "live", about: "resident memory of an edge with many idle streams of live events", run: live, edge: liveEdge},
		{name: "reads", about: "requests a second on an edge, against a constant answer", run: reads},
		{name: "lists", about: "filtered and ordered lists on an edge, against a constant answer", run: lists},
		{name: "peers", about: "the same reads of %s posts from an edge, PocketBase and PostgreSQL alone", run: peers, size: Config.peersPosts},
		{name: "push", about: "schema pushes over %s entries, and what core keeps resident", run: push, size: Config.corpusSize, alone: true},
		{name: "publish", about: "imports and publishes of few and many entries, next to %s others", run: publish, size: Config.corpusSize},
		{name: "sets", about: "change sets of %s entries: import, diff, publish, rebase, revert, and what core keeps resident", run: sets, size: Config.setsSize},
		{name: "previews", about: "reads with a preview token of many edits, next to %s entries, and what core keeps resident", run: previews,
			size: Config.corpusSize},
		{name: "million", about: "the lists of the performance table at %s entries, against a tenth of them", run: million, size: Config.millionSize,
			alone: true, stackless: true},
		{name: "soak", about: "publishing and reading for long while parts are killed", run: soak, alone: true},
	}
}

// Main runs the command line of the program bench, without the program's name.
func Main(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 1 && args[0] == constantCommand {
		return serveConstant(ctx, os.Stdin, out)
	}
	cfg, err := FromEnvironment()
	if err != nil {
		return err
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&cfg.Data, "data", cfg.Data, "directory of the documentation site's text (SVC_BENCH_DATA)")
	flags.StringVar(&cfg.Bin, "bin", cfg.Bin, "directory of the programs (SVC_BENCH_BIN)")
	flags.StringVar(&cfg.Out, "out", cfg.Out, "directory of reports and stacks (SVC_BENCH_OUT)")
	flags.StringVar(&cfg.Results, "results", cfg.Results, "directory of the results that are committed (SVC_BENCH_RESULTS)")
	flags.BoolVar(&cfg.Quick, "quick", cfg.Quick, "small sizes, to see that it runs")
	flags.BoolVar(&cfg.Keep, "keep", cfg.Keep, "leave the directories of the stacks behind")
	flags.DurationVar(&cfg.For, "for", cfg.For, "how long to soak (SVC_BENCH_FOR)")
	flags.Uint64Var(&cfg.Seed, "seed", cfg.Seed, "what soak does is drawn from (SVC_BENCH_SEED)")
	flags.Usage = func() { usage(cfg, out, flags) }
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	chosen, err := choose(flags.Args(), &cfg)
	if err != nil {
		return err
	}
	return cfg.run(ctx, chosen, out)
}

// choose reads the names of scenarios; "all" is every one that is not left to be run alone, "quick" every one in small.
func choose(names []string, cfg *Config) ([]scenario, error) {
	all := scenarios()
	var chosen []scenario
	for _, name := range names {
		i := slices.IndexFunc(all, func(s scenario) bool { return s.name == name })
		switch {
		case i >= 0:
			chosen = append(chosen, all[i])
		case name == "all":
			chosen = append(chosen, slices.DeleteFunc(slices.Clone(all), func(s scenario) bool { return s.alone })...)
		case name == "quick":
			cfg.Quick = true
			chosen = append(chosen, all...)
		default:
			return nil, fmt.Errorf("there is no scenario %q; there are quick, all, %s", name, strings.Join(namesOf(all), ", "))
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("name a scenario: quick, all, %s", strings.Join(namesOf(all), ", "))
	}
	return chosen, nil
}

func namesOf(all []scenario) []string {
	var names []string
	for _, s := range all {
		names = append(names, s.name)
	}
	return names
}

func usage(c Config, out io.Writer, flags *flag.FlagSet) {
	fmt.Fprint(out, "usage: bench [flags] SCENARIO...\n\n  all        every scenario without *\n  quick      every scenario in small\n")
	for _, s := range scenarios() {
		mark := " "
		if s.alone {
			mark = "*"
		}
		fmt.Fprintf(out, "%s %-10s %s\n", mark, s.name, s.description(c))
	}
	fmt.Fprintln(out)
	flags.PrintDefaults()
}

// quickly is how many scenarios of a quick run run at a time: what they measure then means nothing, and much of it is waiting.
const quickly = 4

// run runs scenarios one after the other; one that fails does not keep the others from running. At last it renders the results.
func (c Config) run(ctx context.Context, chosen []scenario, out io.Writer) error {
	if err := c.Validate(); err != nil {
		return err
	}
	out = &lockedWriter{w: out}
	failed := make([]error, len(chosen))
	group := errgroup.Group{}
	group.SetLimit(c.sized(1, quickly))
	for i, s := range chosen {
		group.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			if err := c.one(ctx, s, out); err != nil {
				failed[i] = fmt.Errorf("%s: %w", s.name, err)
			}
			return nil
		})
	}
	err := errors.Join(errors.Join(failed...), group.Wait())
	if ctx.Err() != nil {
		return err
	}
	return errors.Join(err, render(c.resultsDir()))
}

// lockedWriter lets scenarios that run at the same time write whole lines.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
