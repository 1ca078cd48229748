package limit

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// pipeline runs the scripts of many callers in common round trips. Each caller sees its call return as if it had gone
// out alone, so code that knows nothing of pipelines can use it.
type pipeline struct {
	*redis.Client // for what is no script
	callers       int
	calls         chan *call
	finished      chan struct{}
}

type call struct {
	queue func(redis.Pipeliner) *redis.Cmd
	cmd   *redis.Cmd
	done  chan struct{}
}

// newPipeline returns a pipeline for a number of callers, each of whom finishes once.
func newPipeline(client *redis.Client, callers int) *pipeline {
	return &pipeline{Client: client, callers: callers, calls: make(chan *call), finished: make(chan struct{})}
}

// run makes round trips until all callers have finished. One goes out whenever every caller that is left waits for it.
func (p *pipeline) run(ctx context.Context) {
	var waiting []*call
	for p.callers > 0 {
		select {
		case c := <-p.calls:
			waiting = append(waiting, c)
		case <-p.finished:
			p.callers--
		}
		if len(waiting) > 0 && len(waiting) == p.callers {
			p.send(ctx, waiting)
			waiting = waiting[:0]
		}
	}
}

func (p *pipeline) send(ctx context.Context, calls []*call) {
	round := p.Pipeline()
	for _, c := range calls {
		c.cmd = c.queue(round)
	}
	_, _ = round.Exec(ctx) // each command holds its own error
	for _, c := range calls {
		close(c.done)
	}
}

func (p *pipeline) finish() { p.finished <- struct{}{} }

func (p *pipeline) wait(queue func(redis.Pipeliner) *redis.Cmd) *redis.Cmd {
	c := &call{queue: queue, done: make(chan struct{})}
	p.calls <- c
	<-c.done
	return c.cmd
}

// Eval takes part in a round trip.
func (p *pipeline) Eval(ctx context.Context, script string, keys []string, args ...any) *redis.Cmd {
	return p.wait(func(r redis.Pipeliner) *redis.Cmd { return r.Eval(ctx, script, keys, args...) })
}

// EvalSha takes part in a round trip.
func (p *pipeline) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	return p.wait(func(r redis.Pipeliner) *redis.Cmd { return r.EvalSha(ctx, sha, keys, args...) })
}
