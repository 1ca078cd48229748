// Package load sends one HTTP server as many reads as some connections can carry, and reports how many there were and how
// long they took.
package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// Config says what to send and for how long.
type Config struct {
	// Address is "host:port".
	Address string
	// Requests are sent in random order, again and again.
	Requests []Request
	// Connections send one request after the other each.
	Connections int
	// Warmup is how long requests are sent before they count, Duration how long they count.
	Warmup, Duration time.Duration
}

// Request is a GET and the status that it must be answered with.
type Request struct {
	Path   string
	Header map[string]string
	Status int
}

// Result is what was measured.
type Result struct {
	Requests  int
	Bytes     int64 // of bodies
	PerSecond float64
	P50, P99  time.Duration
}

// Run sends until the time is over. The first answer with another status than asked for ends it with an error.
func Run(ctx context.Context, cfg Config) (Result, error) {
	client := &fasthttp.HostClient{Addr: cfg.Address, MaxConns: cfg.Connections, ReadBufferSize: 64 << 10, NoDefaultUserAgentHeader: true}
	defer client.CloseIdleConnections()
	start := time.Now().Add(cfg.Warmup)
	workers := make([]*worker, cfg.Connections)
	var wait sync.WaitGroup
	for i := range workers {
		w := &worker{client: client, cfg: &cfg, from: start, until: start.Add(cfg.Duration), random: rand.New(rand.NewPCG(uint64(i), 1))}
		workers[i] = w
		wait.Go(func() { w.err = w.run(ctx) })
	}
	wait.Wait()
	return gather(workers, cfg.Duration)
}

func gather(workers []*worker, d time.Duration) (Result, error) {
	var r Result
	var took []time.Duration
	var faults []error
	for _, w := range workers {
		took = append(took, w.took...)
		r.Bytes += w.bytes
		faults = append(faults, w.err)
	}
	if err := errors.Join(faults...); err != nil {
		return r, err
	}
	if r.Requests = len(took); r.Requests == 0 {
		return r, errors.New("no request was answered in time")
	}
	slices.Sort(took)
	r.PerSecond = float64(r.Requests) / d.Seconds()
	r.P50, r.P99 = took[len(took)/2], took[len(took)*99/100]
	return r, nil
}

type worker struct {
	client      *fasthttp.HostClient
	cfg         *Config
	random      *rand.Rand
	from, until time.Time
	took        []time.Duration
	bytes       int64
	err         error
}

func (w *worker) run(ctx context.Context) error {
	request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(response)
	for began := time.Now(); began.Before(w.until); {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		next := &w.cfg.Requests[w.random.IntN(len(w.cfg.Requests))]
		request.Reset()
		request.SetRequestURI("http://" + w.cfg.Address + next.Path)
		for name, value := range next.Header {
			request.Header.Set(name, value)
		}
		if err := w.client.Do(request, response); err != nil {
			return fmt.Errorf("%s: %w", next.Path, err)
		}
		ended := time.Now()
		if response.StatusCode() != next.Status {
			return fmt.Errorf("%s: status %d, not %d: %.200s", next.Path, response.StatusCode(), next.Status, response.Body())
		}
		if began.After(w.from) && !ended.After(w.until) {
			w.took = append(w.took, ended.Sub(began))
			w.bytes += int64(len(response.Body()))
		}
		began = ended
	}
	return nil
}
