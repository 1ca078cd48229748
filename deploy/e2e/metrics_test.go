package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"svc/bench/node"
)

// metrics reads the figures of core or an edge, by their names with labels.
func (b *bed) metrics(ctx context.Context, part string) (map[string]float64, error) {
	answer, err := node.Node{Name: part, URL: b.stack.MetricsURL(part)}.Get(ctx, "")
	if err != nil {
		return nil, err
	}
	if answer.Status != http.StatusOK {
		return nil, fmt.Errorf("the metrics of %s", answer)
	}
	figures := map[string]float64{}
	for line := range strings.Lines(string(answer.Body)) {
		line = strings.TrimSpace(line)
		end := strings.LastIndexByte(line, ' ') // labels may have spaces
		if n, err := strconv.ParseFloat(line[end+1:], 64); err == nil && end > 0 && line[0] != '#' {
			figures[line[:end]] = n
		}
	}
	return figures, nil
}

// metric reads one figure; one that is not there yet is 0.
func (b *bed) metric(part, name string) float64 {
	b.t.Helper()
	figures, err := b.metrics(b.t.Context(), part)
	b.check(err)
	return figures[name]
}
