package postgres

import (
	"context"
	"errors"
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

// ErrUncertain marks the failure of a transaction that was being committed when the database was lost: nobody here
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
	most := 5 * time.Millisecond << attempt
	timer := time.NewTimer(rand.N(most) + time.Millisecond)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
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
