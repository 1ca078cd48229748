package store

import (
	"svc/edge/store/load"
	"svc/edge/store/plan"
	"svc/edge/store/write"
)

// tuning is where one way of doing a thing gives way to another. Tests make both ways meet small data.
type tuning struct {
	lists plan.Costs
	rows  write.Options

	runBytes int // of a load, before it is written
	smallRun int // up to this a run is written as a batch: see run

	buildRows   int              // documents that a batch of the builder files
	buildByHand bool             // nothing is built but by buildStep
	built       func(log string) // told when everything of a log is built
}

// defaultTuning is that of production.
func defaultTuning(memoryBudget int64) *tuning {
	return &tuning{
		lists: plan.DefaultCosts(), rows: write.DefaultOptions(), runBytes: int(min(24<<20, memoryBudget/8)), smallRun: load.DefaultSmallRun,
		buildRows: buildRows, built: func(string) {},
	}
}
