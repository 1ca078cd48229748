package followtest

import (
	"context"

	"svc/replication/snapshot"
)

var (
	_ snapshot.Source   = (*Core)(nil)
	_ snapshot.Schedule = (*Core)(nil)
)

// Due implements snapshot.Schedule by the number of changes alone.
func (c *Core) Due(_ context.Context, p snapshot.Policy, n int) ([]string, error) {
	var due []string
	for _, id := range c.Logs() {
		c.mu.Lock()
		l, last := c.logs[id], uint64(0)
		if len(l.refs) > 0 {
			last = l.refs[len(l.refs)-1].Position.Seq
		}
		if l.head().Seq-last >= p.Changes && len(due) < n {
			due = append(due, id)
		}
		c.mu.Unlock()
	}
	return due, nil
}

// Exclusive implements snapshot.Schedule.
func (c *Core) Exclusive(ctx context.Context, id string, do func(context.Context) error) (bool, error) {
	c.mu.Lock()
	l, err := c.find(id)
	c.mu.Unlock()
	if err != nil {
		return true, do(ctx)
	}
	if !l.keeper.TryLock() {
		return false, nil
	}
	defer l.keeper.Unlock()
	return true, do(ctx)
}

// Prune implements snapshot.Schedule.
func (c *Core) Prune(_ context.Context, id string, through, keep uint64) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l, err := c.find(id)
	if err != nil {
		return 0, err
	}
	if head := l.head().Seq; head < keep {
		return 0, nil
	} else {
		through = min(through, head-keep)
	}
	before := l.pruned
	l.pruned = max(before, through)
	return int64(l.pruned - before), nil
}
