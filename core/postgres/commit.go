package postgres

import "github.com/jackc/pgx/v5"

// hookedTx is a transaction that knows what to do once it is committed.
type hookedTx struct {
	pgx.Tx
	hooks *committed
}

type committed []func()

func (c committed) run() {
	for _, f := range c {
		f()
	}
}

// OnCommit has f called after tx was committed, and never where it was rolled back or its outcome is unknown: f can
// only be a hint that saves waiting. A transaction that does not come from InTx drops it.
func OnCommit(tx pgx.Tx, f func()) {
	if t, ok := tx.(*hookedTx); ok {
		*t.hooks = append(*t.hooks, f)
	}
}
