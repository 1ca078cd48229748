// Package load sends one server as many reads as some connections can carry, and reports how many there were and how long
// they took: Run to an HTTP server, Repeat whatever one read is.
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
	Turn
}

// Turn says by how many connections reads are sent, one after the other each, and for how long.
type Turn struct {
	Connections int
	// Warmup is how long reads are sent before they count, Duration how long they count.
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

// ErrUnanswered says that no request was answered within the time that counts.
var ErrUnanswered = errors.New("no request was answered in time")

// Run sends until the time is over. The first answer with another status than asked for ends it with an error.
func Run(ctx context.Context, cfg Config) (Result, error) {
	client := &fasthttp.HostClient{Addr: cfg.Address, MaxConns: cfg.Connections, ReadBufferSize: 64 << 10, NoDefaultUserAgentHeader: true}
	defer client.CloseIdleConnections()
	return Repeat(ctx, cfg.Turn, func(_ int, random *rand.Rand) (int, error) {
		return send(client, &cfg.Requests[random.IntN(len(cfg.Requests))])
	})
}

// send sends one request and returns how many bytes the body of the answer has.
func send(client *fasthttp.HostClient, next *Request) (int, error) {
	request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(response)
	request.SetRequestURI("http://" + client.Addr + next.Path)
	for name, value := range next.Header {
		request.Header.Set(name, value)
	}
	if err := client.Do(request, response); err != nil {
		return 0, fmt.Errorf("%s: %w", next.Path, err)
	}
	if response.StatusCode() != next.Status {
		return 0, fmt.Errorf("%s: status %d, not %d: %.200s", next.Path, response.StatusCode(), next.Status, response.Body())
	}
	return len(response.Body()), nil
}

// Repeat sends reads until the turn is over. read sends one on a connection, which are numbered from 0, and returns how
// many bytes it was answered with; its first error ends the connection's part and is that of Repeat.
func Repeat(ctx context.Context, turn Turn, read func(connection int, random *rand.Rand) (int, error)) (Result, error) {
	start := time.Now().Add(turn.Warmup)
	workers := make([]*worker, turn.Connections)
	var wait sync.WaitGroup
	for i := range workers {
		random := rand.New(rand.NewPCG(uint64(i), 1))
		w := &worker{from: start, until: start.Add(turn.Duration), read: func() (int, error) { return read(i, random) }}
		workers[i] = w
		wait.Go(func() { w.err = w.run(ctx) })
	}
	wait.Wait()
	return gather(workers, turn.Duration)
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
		return r, ErrUnanswered
	}
	slices.Sort(took)
	r.PerSecond = float64(r.Requests) / d.Seconds()
	r.P50, r.P99 = took[len(took)/2], took[len(took)*99/100]
	return r, nil
}

type worker struct {
	read        func() (int, error)
	from, until time.Time
	took        []time.Duration
	bytes       int64
	err         error
}

func (w *worker) run(ctx context.Context) error {
	for began := time.Now(); began.Before(w.until); {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		bytes, err := w.read()
		if err != nil {
			return err
		}
		ended := time.Now()
		// What ends within the time counts: were it to begin there too, slow answers would count less than they are.
		if ended.After(w.from) && !ended.After(w.until) {
			w.took = append(w.took, ended.Sub(began))
			w.bytes += int64(bytes)
		}
		began = ended
	}
	return nil
}
