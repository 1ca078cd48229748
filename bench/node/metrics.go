package node

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Metrics reads the figures that core or an edge shows at a URL, by their names with labels.
func Metrics(ctx context.Context, name, url string) (map[string]float64, error) {
	answer, err := Node{Name: name, URL: url}.Get(ctx, "")
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
