package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"time"

	"svc/bench/node"
	"svc/core/client"
	"svc/deploy/local"
)

// Bench is a scenario at work.
type Bench struct {
	Config
	Report *Report
	out    io.Writer

	stack   *local.Stack
	account local.Account
	client  *client.Client
}

// roomy is an edge that has room for 10,000 streams, where a scenario adds it.
const roomy = "edge-roomy"

// one runs a scenario on a stack of its own and reports it, also where it fails.
func (c Config) one(ctx context.Context, s scenario, out io.Writer) error {
	b := &Bench{Config: c, out: out, Report: &Report{
		Scenario: s.name, About: s.description(c), Quick: c.Quick, Began: time.Now().UTC(), Machine: machine(),
	}}
	err := b.within(ctx, s)
	b.Report.Seconds = time.Since(b.Report.Began).Seconds()
	if err == nil && !c.Quick {
		err = b.Report.over()
	} else if err != nil {
		b.Report.Failure = withoutPaths(err.Error())
	}
	err = errors.Join(err, b.Report.print(out), b.Report.write(c.Out))
	if ctx.Err() != nil {
		return err // half a run is no result
	}
	return errors.Join(err, b.Report.write(c.resultsDir()))
}

// within runs a scenario, on a stack unless it has no use for one.
func (b *Bench) within(ctx context.Context, s scenario) (err error) {
	if s.stackless {
		return s.run(ctx, b)
	}
	dir := filepath.Join(b.Out, s.name+"-stack")
	stack, err := local.New(local.Config{
		Dir: dir, Bin: b.Bin, Report: b.out, Environment: map[local.Kind][]string{local.Edge: s.edge},
		PartEnvironment: map[string][]string{uncached: {"SVC_EDGE_ANSWER_CACHE=0"}, roomy: liveEdge},
	})
	if err != nil {
		return err
	}
	if err := stack.Remove(); err != nil {
		return fmt.Errorf("clear the stack's directory: %w", err)
	}
	b.progress("starting a stack for %s", s.name)
	if err := stack.Start(ctx); err != nil {
		return fmt.Errorf("start the stack: %w", err)
	}
	b.stack = stack
	defer func() {
		err = errors.Join(err, stack.Stop(context.WithoutCancel(ctx)))
		if err == nil && !b.Keep {
			err = stack.Remove()
		}
	}()
	if b.account, err = stack.Account(ctx); err != nil {
		return err
	}
	b.client = client.New(stack.URL("core"), b.account.Token, &http.Client{Timeout: 5 * time.Minute})
	return s.run(ctx, b)
}

// progress prints what is being done.
func (b *Bench) progress(format string, args ...any) {
	// Progress that cannot be written must not stop the scenario.
	_, _ = fmt.Fprintf(b.out, b.Report.Scenario+": "+format+"\n", args...)
}

// node is a part of the stack as a reader sees it.
func (b *Bench) node(name string) node.Node { return node.Node{Name: name, URL: b.stack.URL(name)} }

func (b *Bench) edges() []node.Node { return []node.Node{b.node("edge-1"), b.node("edge-2")} }

// project makes a project of the scenario's name.
func (b *Bench) project(ctx context.Context) (string, error) {
	p, err := b.client.CreateProject(ctx, b.account.Organization, "Benchmark", "bench-"+b.Report.Scenario)
	return p.Slug, err
}

// awaitHead waits until nodes serve a release.
func (b *Bench) awaitHead(ctx context.Context, nodes []node.Node, project, collection string, release uint64, within time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("not within %s", within))
	defer cancel()
	return node.Await(ctx, nodes, project, collection, release)
}

// idleWithin is how long edges may index what they were given last.
const idleWithin = 5 * time.Minute

// awaitIdle waits until no edge builds or indexes anything in the background: it would take the processor from what is measured.
func (b *Bench) awaitIdle(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, idleWithin, fmt.Errorf("not within %s", idleWithin))
	defer cancel()
	return node.Until(ctx, func(ctx context.Context) error {
		for _, edge := range b.edges() {
			if err := b.idleNow(ctx, edge.Name); err != nil {
				return fmt.Errorf("%s: %w", edge.Name, err)
			}
		}
		return nil
	})
}

const (
	// idlePause is how long an edge is watched to tell whether it is busy.
	idlePause = 200 * time.Millisecond
	// idleShare is how much of a processor it may take meanwhile.
	idleShare = 0.1
)

// idleNow returns an error if an edge has work in the background: words to index, or a store to put in order.
func (b *Bench) idleNow(ctx context.Context, edge string) error {
	before, err := node.Metrics(ctx, edge, b.stack.MetricsURL(edge))
	if err != nil {
		return err
	}
	if err := node.Pause(ctx, idlePause); err != nil {
		return err
	}
	after, err := node.Metrics(ctx, edge, b.stack.MetricsURL(edge))
	if err != nil {
		return err
	}
	return idle(before, after, idlePause)
}

// idle tells from two looks at the metrics of an edge that it does nothing in the background.
func idle(before, after map[string]float64, between time.Duration) error {
	for _, name := range []string{"svc_store_building_projects", "svc_store_indexing_projects"} {
		if projects, shown := after[name]; !shown || projects > 0 {
			return fmt.Errorf("%s is %v (shown: %t), not 0", name, projects, shown)
		}
	}
	const processor = "process_cpu_seconds_total"
	if share := (after[processor] - before[processor]) / between.Seconds(); share > idleShare {
		return fmt.Errorf("it takes %.0f %% of a processor", 100*share)
	}
	return nil
}

// awaitSettled waits until the edges serve a release and have indexed what was published.
func (b *Bench) awaitSettled(ctx context.Context, project, collection string, release uint64, within time.Duration) error {
	if err := b.awaitHead(ctx, b.edges(), project, collection, release, within); err != nil {
		return err
	}
	return b.awaitIdle(ctx)
}

// restart stops a part of the stack and starts it again.
func (b *Bench) restart(ctx context.Context, part string) error {
	if err := b.stack.StopPart(part); err != nil {
		return err
	}
	return b.stack.StartPart(ctx, part)
}
