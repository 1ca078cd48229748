package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"svc/shared/fault"
)

// attempts is how often InTx runs a transaction that PostgreSQL gave up for another one's sake.
const attempts = 6

// InTx runs do in a READ COMMITTED transaction and commits it. Where PostgreSQL ends the transaction because of a
// deadlock or a serialization failure, do runs again, so it must have no effects outside of tx. What Opening gave ctx runs
// before do, in the same transaction.
func InTx(ctx context.Context, pool *pgxpool.Pool, do func(tx pgx.Tx) error) error {
	var err error
	for i := range attempts {
		var hooks committed
		err = run(ctx, pool, pgx.TxOptions{}, func(tx pgx.Tx) error {
			if err := open(ctx, tx); err != nil {
				return err
			}
			return do(&hookedTx{tx, &hooks})
		})
		if err == nil {
			hooks.run()
		}
		if !retryable(err) {
			break
		}
		if wait := pause(ctx, i); wait != nil {
			return errors.Join(wait, err)
		}
	}
	return Unavailable(err)
}

// ReadTx runs do on one snapshot of the database.
func ReadTx(ctx context.Context, pool *pgxpool.Pool, do func(tx pgx.Tx) error) error {
	return Unavailable(run(ctx, pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, do))
}

// ErrUncertain marks the failure of a transaction that was being committed when the database was lost: no one here
// knows whether it took effect.
var ErrUncertain = errors.New("the outcome of a commit is unknown")

func run(ctx context.Context, pool *pgxpool.Pool, options pgx.TxOptions, do func(tx pgx.Tx) error) error {
	committing := false
	err := pgx.BeginTxFunc(ctx, pool, options, func(tx pgx.Tx) error {
		err := do(tx)
		committing = err == nil
		if err != nil && ctx.Err() == nil && tx.Conn().IsClosed() {
			// What the driver calls the end of a connection depends on what was under way.
			err = errors.Join(err, pgconn.ErrConnClosed)
		}
		return err
	})
	if err != nil && committing && lost(err) {
		return errors.Join(err, ErrUncertain)
	}
	return err
}

// lost reports whether err leaves open what the database did.
func lost(err error) bool {
	code := sqlState(err)
	return code == "" && !errors.Is(err, pgx.ErrTxCommitRollback) || isConnection(code)
}

func retryable(err error) bool {
	code := sqlState(err)
	return code == serializationFailure || code == deadlockDetected
}

// pause waits a little longer after each attempt, by chance, so that two that collided part.
func pause(ctx context.Context, attempt int) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(rand.N(5*time.Millisecond<<attempt) + time.Millisecond):
		return nil
	}
}

// Late is the UNAVAILABLE fault of what the database did not do in the time there was for it. Where it may have taken
// effect, it says so.
func Late(err error) error {
	if errors.Is(err, ErrUncertain) {
		return Unavailable(err)
	}
	return &fault.Error{
		Code: fault.Unavailable, Detail: "the database does not answer in time; try again shortly", RetryAfter: 5 * time.Second, Err: err,
	}
}

// Unavailable turns the absence of the database into an UNAVAILABLE fault; other errors stay as they are.
func Unavailable(err error) error {
	var f *fault.Error
	detail := "the database cannot be reached at the moment; try again shortly"
	switch {
	case err == nil || errors.As(err, &f):
		return err
	case errors.Is(err, ErrUncertain):
		detail = "the database was lost while the change was being committed; see whether it took effect before sending it again"
	case !isUnavailable(err):
		return err
	}
	return &fault.Error{Code: fault.Unavailable, Detail: detail, RetryAfter: time.Second, Err: err}
}

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

type openingKey struct{}

// Opening returns a context under which every transaction of InTx begins with first, and fails where first does.
func Opening(ctx context.Context, first func(ctx context.Context, tx pgx.Tx) error) context.Context {
	return context.WithValue(ctx, openingKey{}, first)
}

func open(ctx context.Context, tx pgx.Tx) error {
	if first, ok := ctx.Value(openingKey{}).(func(context.Context, pgx.Tx) error); ok {
		return first(ctx, tx)
	}
	return nil
}

// Bulk is from how many rows on a transaction counts as a bulk one.
const Bulk = 50

// BeginBulk prepares a transaction that reads and writes many rows, so that what each of them takes depends neither on the
// statistics of tables nor on their sizes: a statement is planned each time it runs, since a plan that was made for small
// tables, and is kept with its prepared statement, would be ruinous; and every join looks its rows up in an index.
func BeginBulk(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `SELECT set_config('plan_cache_mode', 'force_custom_plan', true),
		set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`)
	if err != nil {
		return fmt.Errorf("preparing a bulk transaction: %w", err)
	}
	return nil
}

// BeginRead is ReadTx for a caller that spreads its reads over several calls and ends the transaction itself, with
// Rollback. The snapshot is taken by its first statement.
func BeginRead(ctx context.Context, pool *pgxpool.Pool) (pgx.Tx, error) {
	tx, err := pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	return tx, Unavailable(err)
}

// Advisory locks of the service, apart from those that libraries take. Rows are locked in one order everywhere:
// change set, project (shared by publishes and entry writes, exclusive for schema pushes and settings), entries by
// id, assets by id, release_head, log_head. Under release_head a publish reads what it has to know of entries that it
// does not lock: only a release changes what is published.
const (
	// SettleFence is held shared from the moment a release takes its time until it commits. A session that holds it alone
	// for an instant knows that no release with an earlier time is still to come.
	SettleFence int64 = 0x737663_0001
	// BootstrapLock lets one program at a time make the first organization.
	BootstrapLock int64 = 0x737663_0002
)
