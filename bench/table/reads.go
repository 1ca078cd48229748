package table

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"svc/shared/read"
)

// serve answers a GET of a path, and calls see with the response where it is not nil.
func (s *Store) serve(ctx context.Context, path string, see func(*read.Response) error) error {
	raw, query, _ := bytes.Cut([]byte(path), []byte("?"))
	at, ok := read.ParsePath(raw)
	if !ok {
		return fmt.Errorf("%s is no public read", path)
	}
	response := s.engine.Serve(ctx, &read.Request{
		Method: http.MethodGet, Route: at.Route, Project: at.Project, Collection: at.Collection, Ref: at.Ref, RawQuery: string(query),
	})
	defer response.Release()
	if response.Status != http.StatusOK {
		return fmt.Errorf("%s: status %d, forward %v: %s", path, response.Status, response.Forward, response.Body)
	}
	if see == nil {
		return nil
	}
	return see(response)
}

// Pair is two reads to compare.
type Pair struct{ Name, One, Other string }

// Times are the median times of a pair; Other is 0 where there is none.
type Times struct {
	Name       string
	One, Other time.Duration
}

// Ratio is how many times as long the one takes.
func (t Times) Ratio() float64 { return float64(t.One) / float64(t.Other) }

// fewest is how often a path is read in a turn at least.
const fewest = 5

// Compare reads the paths of each pair in turns, and takes the median over all rounds of the median in each.
func (s *Store) Compare(ctx context.Context, pairs []Pair, rounds int, turn time.Duration) ([]Times, error) {
	var out []Times
	for _, p := range pairs {
		var one, other []time.Duration
		for range rounds {
			for path, times := range map[string]*[]time.Duration{p.One: &one, p.Other: &other} {
				if path == "" {
					continue
				}
				took, err := s.time(ctx, path, turn)
				if err != nil {
					return nil, err
				}
				*times = append(*times, took)
			}
		}
		t := Times{Name: p.Name, One: median(one)}
		if p.Other != "" {
			t.Other = median(other)
		}
		out = append(out, t)
	}
	return out, nil
}

// time reads a path for a while and returns the median.
func (s *Store) time(ctx context.Context, path string, turn time.Duration) (time.Duration, error) {
	var took []time.Duration
	for began := time.Now(); len(took) < fewest || time.Since(began) < turn; {
		before := time.Now()
		if err := s.serve(ctx, path, nil); err != nil {
			return 0, err
		}
		took = append(took, time.Since(before))
	}
	return median(took), nil
}

func median(sample []time.Duration) time.Duration {
	slices.Sort(sample)
	return sample[len(sample)/2]
}

// PageAt walks a list to a row and returns the path of the page of 25 that starts there.
func (s *Store) PageAt(ctx context.Context, query string, pin uint64, row int) (string, error) {
	cursor := ""
	for at := 0; at < row; {
		limit := min(100, row-at)
		q := with(query, fmt.Sprintf("limit=%d", limit))
		if cursor != "" {
			q = with(q, "cursor="+url.QueryEscape(cursor))
		}
		var page struct {
			Pagination struct {
				NextCursor string `json:"nextCursor"`
			} `json:"pagination"`
		}
		if err := s.serve(ctx, Path(Project, q, pin), func(r *read.Response) error {
			return json.Unmarshal(r.Body, &page)
		}); err != nil {
			return "", err
		}
		if cursor = page.Pagination.NextCursor; cursor == "" {
			return "", fmt.Errorf("the list %q ends before row %d", query, row)
		}
		at += limit
	}
	return Path(Project, with(query, "cursor="+url.QueryEscape(cursor)), pin), nil
}

// Latencies reads paths in turn from every core for a while, and returns how long each read took.
func (s *Store) Latencies(ctx context.Context, paths []string, d time.Duration) ([]time.Duration, error) {
	readers := runtime.GOMAXPROCS(0)
	took, faults := make([][]time.Duration, readers), make([]error, readers)
	var wait sync.WaitGroup
	until := time.Now().Add(d)
	for r := range readers {
		wait.Go(func() {
			for i := r; faults[r] == nil && time.Now().Before(until); i += readers {
				before := time.Now()
				faults[r] = s.serve(ctx, paths[i%len(paths)], nil)
				took[r] = append(took[r], time.Since(before))
			}
		})
	}
	wait.Wait()
	for _, err := range faults {
		if err != nil {
			return nil, err
		}
	}
	return slices.Concat(took...), nil
}
