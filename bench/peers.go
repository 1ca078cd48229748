package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"svc/bench/compare"
	"svc/bench/load"
	"svc/deploy/local"
	"svc/deploy/local/process"
)

const (
	// peerProgram is PocketBase with the content (bench/peers), which `make bench-peers` builds.
	peerProgram = "peers"
	// peerConnections is how many requests are under way at a time.
	peerConnections = 32
)

// peersPosts is how many posts the servers are compared with.
func (c Config) peersPosts() int { return c.sized(10_000, 300) }

// factor is how many times as much one server is to do as another.
type factor struct {
	of, to string
	// least is the factor to reach, by the letter of the work.
	least map[string]float64
}

// The servers, as reports call them.
const (
	shipped  = "edge as shipped"
	cacheOff = "edge, cache off"
)

var factors = []factor{
	{shipped, compare.PocketBaseName, map[string]float64{"a": 8, "b": 20, "c": 15, "d": 20, "e": 100, "f": 20}},
	{cacheOff, compare.PocketBaseName, map[string]float64{"a": 4, "b": 2.5, "c": 3, "d": 4, "e": 60, "f": 3}},
	{cacheOff, compare.PostgresName, map[string]float64{"a": 1, "b": 0.9, "c": 1, "d": 1, "e": 1, "f": 0.9}},
}

// peers compares edges with what a user could pick instead: PocketBase, and PostgreSQL alone. All have the same content and do
// the same work; each variant of it is held against the content before it is measured. All are up while one is measured.
func peers(ctx context.Context, b *Bench) (err error) {
	if _, err := os.Stat(filepath.Join(b.Bin, peerProgram)); errors.Is(err, fs.ErrNotExist) {
		b.Report.LeftOut = "PocketBase is not built: `make bench-peers` builds and runs it"
		return nil
	}
	content := compare.Make(b.peersPosts())
	b.progress("filling the edges, PocketBase and PostgreSQL with %s posts", thousands(len(content.Posts)))
	edges, err := b.peerEdges(ctx, content)
	if err != nil {
		return fmt.Errorf("fill the edges: %w", err)
	}
	pocketBase, err := b.startPocketBase(content)
	if err != nil {
		return fmt.Errorf("start PocketBase: %w", err)
	}
	defer func() { err = errors.Join(err, pocketBase.stop()) }()
	other, err := compare.PocketBase(ctx, pocketBase.address)
	if err != nil {
		return fmt.Errorf("read from PocketBase: %w", err)
	}
	at, err := compare.CreateDatabase(ctx, b.stack.ServiceURL(local.Postgres), "peers")
	if err != nil {
		return fmt.Errorf("create a database: %w", err)
	}
	database, err := compare.LoadPostgres(ctx, at, peerConnections, content)
	if err != nil {
		return fmt.Errorf("fill PostgreSQL: %w", err)
	}
	defer func() { err = errors.Join(err, database.Close(context.WithoutCancel(ctx))) }()
	servers := append(edges, other, database.Keyset())
	for _, w := range content.Work() {
		compared := servers
		if w.Letter == "d" {
			compared = append(compared[:len(compared):len(compared)], database.Offset())
		}
		if err := b.peerWork(ctx, content, w, compared); err != nil {
			return err
		}
	}
	return b.peersMemory(pocketBase.cmd.Process.Pid)
}

// peerEdges publishes the content and waits until both edges serve it.
func (b *Bench) peerEdges(ctx context.Context, content *compare.Content) ([]compare.Server, error) {
	slug, err := b.project(ctx)
	if err != nil {
		return nil, err
	}
	project, err := content.Publish(ctx, b.client, slug)
	if err != nil {
		return nil, err
	}
	if err := b.awaitSettled(ctx, slug, compare.Posts, project.Release, 5*time.Minute); err != nil {
		return nil, err
	}
	if err := project.Walk(ctx, b.node(uncached)); err != nil {
		return nil, err
	}
	return []compare.Server{project.Edge(shipped, b.node(cached)), project.Edge(cacheOff, b.node(uncached))}, nil
}

// startPocketBase hands the content over as a file and returns when PocketBase has loaded it. What it keeps lies in the
// directory of the stack, and goes with that.
func (b *Bench) startPocketBase(content *compare.Content) (*server, error) {
	lines, data := b.stack.Dir("peers.jsonl"), b.stack.Dir("pocketbase")
	file, err := os.Create(lines)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(content.WriteLines(file), file.Close()); err != nil {
		return nil, fmt.Errorf("write the content: %w", err)
	}
	return startServer(nil, filepath.Join(b.Bin, peerProgram), lines, data)
}

// peerWork checks a kind of work on every server, lets each have its turns, and reports the medians and the factors.
func (b *Bench) peerWork(ctx context.Context, content *compare.Content, w compare.Work, servers []compare.Server) error {
	b.progress("%s, %s; variants: %d", w.Letter, w.About, len(w.Variants))
	for _, s := range servers {
		if err := compare.Check(ctx, s, content, w); err != nil {
			return err
		}
	}
	if err := b.awaitIdle(ctx); err != nil {
		return err
	}
	duration := time.Duration(b.sized(2_000, 1_000)) * time.Millisecond
	if w.Letter == "e" {
		duration *= 3 // PocketBase reads all texts: each of the requests under way takes a second and more
	}
	turn := load.Turn{Connections: peerConnections, Warmup: duration / 5, Duration: duration}
	rates := map[string][]float64{}
	for range b.sized(rounds, 1) {
		for _, s := range servers {
			result, err := s.Measure(ctx, w, turn)
			if err != nil {
				return fmt.Errorf("%s: %s (%s): %w", s.Name(), w.Letter, w.About, err)
			}
			rates[s.Name()] = append(rates[s.Name()], result.PerSecond)
		}
	}
	medians := map[string]float64{}
	for _, s := range servers {
		medians[s.Name()] = percentile(rates[s.Name()], 0.5)
		b.Report.add(fmt.Sprintf("%s: %s", w.Letter, s.Name()), medians[s.Name()], PerSecond).noted("%s; variants: %d", w.About, len(w.Variants))
	}
	for _, f := range factors {
		reached, least := medians[f.of]/medians[f.to], f.least[w.Letter]
		figure := b.Report.add(fmt.Sprintf("%s: %s ÷ %s", w.Letter, f.of, f.to), reached, Ratio)
		figure.noted("to reach: %g", least)
		if reached < least {
			figure.Note += ", not reached"
		}
	}
	return nil
}

// peersMemory reports the most that the edges and PocketBase had resident; that of PostgreSQL is shared by its processes.
func (b *Bench) peersMemory(pocketBase int) error {
	one, err := b.stack.Pid(cached)
	if err != nil {
		return err
	}
	other, err := b.stack.Pid(uncached)
	if err != nil {
		return err
	}
	for _, s := range []struct {
		name string
		pid  int
	}{{shipped, one}, {cacheOff, other}, {compare.PocketBaseName, pocketBase}} {
		r, err := process.ResidentOf(s.pid)
		if err != nil {
			return err
		}
		b.Report.add(s.name+", most resident", r.Peak, Mebibytes)
	}
	return nil
}
