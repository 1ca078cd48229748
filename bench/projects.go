package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"svc/bench/many"
	"svc/core/postgres"
	"svc/deploy/local"
	"svc/deploy/local/process"
)

const (
	// projectsMemory is the most that an edge of 10,000 projects may keep, in MiB: 600 MB.
	projectsMemory = 600e6 / (1 << 20)
	// projectsReady is within how many seconds of its start it is ready.
	projectsReady = 30
)

// projects fills the deployment with 10,000 projects, starts an edge that holds all of them again, and from nothing.
func projects(ctx context.Context, b *Bench) error {
	pool, err := postgres.Open(ctx, b.stack.ServiceURL(local.Postgres))
	if err != nil {
		return err
	}
	defer pool.Close()
	first, err := b.client.CreateProject(ctx, b.account.Organization, "Benchmark", "bench-projects")
	if err != nil {
		return err
	}
	p := &many.Projects{Pool: pool, Organization: string(first.Organization)}
	n := b.sized(10_000, 200)
	b.progress("making %d projects", n)
	began := time.Now()
	if err := p.Make(ctx, n); err != nil {
		return err
	}
	b.Report.add("projects", float64(n), Count).noted("made in %.0f s", time.Since(began).Seconds())
	random := rand.New(rand.NewPCG(b.Seed, 13))
	for _, start := range []struct {
		how   string
		ready float64
		down  func(string) error
	}{
		{"killed", projectsReady, b.stack.KillPart},
		{"stopped", projectsReady, b.stack.StopPart},
		{"without anything on its disk", 0, func(name string) error {
			if err := b.stack.StopPart(name); err != nil {
				return err
			}
			return b.stack.ClearPart(name)
		}},
	} {
		if err := start.down("edge-1"); err != nil {
			return err
		}
		began := time.Now()
		if err := b.stack.StartPart(ctx, "edge-1"); err != nil {
			return err
		}
		b.Report.add(fmt.Sprintf("an edge that was %s is ready", start.how), time.Since(began).Seconds(), Seconds).atMost(start.ready)
		if err := p.Read(ctx, b.node("edge-1"), random); err != nil {
			return err
		}
		pid, err := b.stack.Pid("edge-1")
		if err != nil {
			return err
		}
		r, err := process.ResidentOf(pid)
		if err != nil {
			return err
		}
		b.Report.add(fmt.Sprintf("an edge that was %s, most resident once all was read", start.how), r.Peak, Mebibytes).atMost(projectsMemory)
	}
	return nil
}
