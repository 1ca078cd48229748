package e2e

import (
	"context"

	"svc/bench/node"
)

// metrics reads the figures of core or an edge, by their names with labels.
func (b *bed) metrics(ctx context.Context, part string) (map[string]float64, error) {
	return node.Metrics(ctx, part, b.stack.MetricsURL(part))
}

// metric reads one figure; one that is not there yet is 0.
func (b *bed) metric(part, name string) float64 {
	b.t.Helper()
	figures, err := b.metrics(b.t.Context(), part)
	b.check(err)
	return figures[name]
}
