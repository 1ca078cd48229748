package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"svc/bench/table"
)

// releasesPerSecond is how many releases arrive while reads are measured.
const releasesPerSecond = 50

// busy measures reads from every core, of entries and now and then of a list, while releases of one entry arrive and while none do.
func (p *performanceRun) busy(ctx context.Context, s *table.Store) error {
	random := rand.New(rand.NewPCG(p.Seed, 17))
	var paths []string
	lists := []string{"order=-updated", "filter[category]=category-3&order=-day", "q=w40+w90", ""}
	for i := range 5_000 {
		paths = append(paths, table.Single(table.Project, random.IntN(s.Entries), 0))
		if i%10 == 0 {
			paths = append(paths, table.Path(table.Project, lists[i/10%len(lists)], 0))
		}
	}
	turn := time.Duration(p.sized(3_000, 100)) * time.Millisecond
	var quiet, loud, ratios, rates []float64
	for range rounds {
		took, err := s.Latencies(ctx, paths, turn)
		if err != nil {
			return err
		}
		quiet = append(quiet, milliseconds(percentile(took, 0.99)))
		rate, err := besideReleases(ctx, s, func() (err error) {
			took, err = s.Latencies(ctx, paths, turn)
			return err
		})
		if err != nil {
			return err
		}
		loud, rates = append(loud, milliseconds(percentile(took, 0.99))), append(rates, rate)
		ratios = append(ratios, loud[len(loud)-1]/quiet[len(quiet)-1])
	}
	busiest := percentile(loud, 0.5)
	p.Report.addRow(workBusy, percentile(ratios, 0.5), "%.2f ms and %.2f ms, with %.0f releases/s", busiest, percentile(quiet, 0.5),
		percentile(rates, 0.5)).inGets(time.Duration(busiest*float64(time.Millisecond)), p.get)
	return nil
}

// besideReleases applies releases while do works, and returns how many there were a second.
func besideReleases(ctx context.Context, s *table.Store, do func() error) (rate float64, err error) {
	stop, done := make(chan struct{}), make(chan error, 1)
	before, began := s.Releases, time.Now()
	go func() {
		tick := time.NewTicker(time.Second / releasesPerSecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				done <- nil
				return
			case <-tick.C:
			}
			if err := s.Publish(ctx); err != nil {
				done <- err
				return
			}
		}
	}()
	err = do()
	close(stop)
	if published := <-done; err == nil {
		err = published
	}
	return float64(s.Releases-before) / time.Since(began).Seconds(), err
}

// written measures what releases of one entry have the store write, compactions included: so many that most of them happen meanwhile.
func (p *performanceRun) written(ctx context.Context, s *table.Store) error {
	releases := p.sized(9_000, 90)
	before, err := bytesWritten()
	if err != nil {
		return err
	}
	began := time.Now()
	for range releases {
		if err := s.Publish(ctx); err != nil {
			return err
		}
	}
	took := time.Since(began) / time.Duration(releases)
	after, err := bytesWritten()
	if err != nil {
		return err
	}
	each, entry := (after-before)/int64(releases), s.EntryBytes/int64(s.Entries)
	p.Report.addRow(workWritten, float64(each)/float64(entry), "%d bytes for an entry of %d, on average of %s releases; %.2f ms a release",
		each, entry, thousands(releases), milliseconds(took)).inGets(took, p.get)
	return nil
}

// bytesWritten is how many bytes this process has written to files and elsewhere.
func bytesWritten() (int64, error) {
	n, err := strconv.ParseInt(value("/proc/self/io", "wchar"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("what this process has written: %w", err)
	}
	return n, nil
}
