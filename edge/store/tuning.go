package store

import "svc/edge/store/plan"

// tuning is where one way of doing a thing gives way to another. Tests make both ways meet small data.
type tuning struct {
	lists       plan.Costs
	clusterSize int // entries of a new cluster

	runBytes  int // of a load, before it is written
	smallRun  int // up to this a run is written as a batch: see run
	pastBytes int // of what a batch says of documents, before some of it is written

	buildRows   int              // documents that a batch of the builder files
	buildByHand bool             // nothing is built but by buildStep
	built       func(log string) // told when everything of a log is built
}

// defaultTuning is that of production.
func defaultTuning(memoryBudget int64) *tuning {
	return &tuning{
		lists: plan.DefaultCosts(), clusterSize: defaultCluster, runBytes: int(min(24<<20, memoryBudget/8)), smallRun: smallRun, pastBytes: 8 << 20,
		buildRows: buildRows, built: func(string) {},
	}
}
