package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"svc/shared/fault"
)

// SQLSTATE codes that mean something to the service.
const (
	uniqueViolation      = "23505"
	foreignKeyViolation  = "23503"
	checkViolation       = "23514"
	exclusionViolation   = "23P01"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	lockNotAvailable     = "55P03"
	idleInTransaction    = "25P03"
)

// MapError returns the fault that stands for a violated constraint, by the constraint's name, with err as its
// cause. Any other error comes back as it is.
func MapError(err error, faults map[string]*fault.Error) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return err
	}
	switch pg.Code {
	case uniqueViolation, foreignKeyViolation, checkViolation, exclusionViolation:
		if f, ok := faults[pg.ConstraintName]; ok {
			mapped := *f
			mapped.Err = err
			return &mapped
		}
	}
	return err
}

// LockTimedOut reports whether err means that a lock was not given within lock_timeout.
func LockTimedOut(err error) bool { return sqlState(err) == lockNotAvailable }

func sqlState(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// isConnection reports whether a SQLSTATE is about the end of a connection: an exception of its own, a shutdown, or a
// program that hung in the middle of a transaction.
func isConnection(code string) bool {
	return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "57P") || code == idleInTransaction
}

// isUnavailable reports whether err means that the database did not take the work at all.
func isUnavailable(err error) bool {
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) && sqlState(err) == "" {
		return true // also where the time for it was over, which is not that of the work
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	switch code := sqlState(err); {
	case isConnection(code), strings.HasPrefix(code, "53"): // no connection, disk or memory left for it
		return true
	case code != "":
		return false
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, pgconn.ErrConnClosed) || pgconn.SafeToRetry(err)
}
