// Package postgres is how core talks to its database: the pool, migrations, transactions and the one place where
// driver errors become faults. Domain packages own their SQL and take a Querier or a transaction.
package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// defaultConns is the size of the pool unless the address says pool_max_conns.
	defaultConns = 24
	// defaultConnect is how long a new connection may take unless the address says connect_timeout.
	defaultConnect = 10 * time.Second
)

// attachment is the key of what is attached to a pool, in the data of each of its connections.
const attachment = "svc"

// Attached returns what OpenWith attached to the pool of a transaction.
func Attached(tx pgx.Tx) any { return tx.Conn().PgConn().CustomData()[attachment] }

// Querier is what a read needs: a pool, a connection or a transaction.
type Querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Values to select in a transaction. A program that hangs loses its transaction where it sends nothing for fifteen seconds.
const (
	// EndStuck is for a statement that locks what others wait for: the transaction also ends where the program takes no more
	// rows for as long.
	EndStuck = `set_config('tcp_user_timeout', '15s', true)`
	// HoldBriefly is for one that locks a row which everybody waits for, such as the head of a log: five seconds are the most
	// of both from then on.
	HoldBriefly = `set_config('idle_in_transaction_session_timeout', '5s', true) || set_config('tcp_user_timeout', '5s', true)`
)

// Open returns a pool on the database of this address after it answered once. The caller closes it.
func Open(ctx context.Context, url string) (*pgxpool.Pool, error) { return OpenWith(ctx, url, nil) }

// OpenWith is Open for a pool whose transactions find attached, by Attached.
func OpenWith(ctx context.Context, url string, attached any) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("reading the database address: %w", err) // pgx leaves the password out
	}
	if !strings.Contains(url, "pool_max_conns") {
		cfg.MaxConns = defaultConns
	}
	if cfg.ConnConfig.ConnectTimeout == 0 {
		cfg.ConnConfig.ConnectTimeout = defaultConnect
	}
	cfg.MaxConnIdleTime = 5 * time.Minute
	cfg.ShouldPing = suspicious
	cfg.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		conn.PgConn().CustomData()[attachment] = attached
		return nil
	}
	params := cfg.ConnConfig.RuntimeParams
	params["timezone"] = "UTC"
	if params["application_name"] == "" {
		params["application_name"] = "svc-core"
	}
	for name, value := range map[string]string{
		// A plan is kept with its prepared statement: one that was made while a table was small must not go on scanning it when
		// it has grown. A scan that cannot be avoided looks so dear then that it would be compiled.
		"enable_seqscan": "off",
		"jit":            "off",
		// A program that hangs in a transaction, or whose machine is gone, must not hold its locks for long.
		"idle_in_transaction_session_timeout": "15s",
		"tcp_keepalives_idle":                 "10s",
		"tcp_keepalives_interval":             "5s",
		"tcp_keepalives_count":                "3",
	} {
		if params[name] == "" {
			params[name] = value
		}
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("opening the database: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("connecting to the database: %w", err)
	}
	return pool, nil
}

// rested is how long a connection may have been idle before it is asked whether it still works.
const rested = time.Second

// suspicious reports whether a connection should be asked whether it still works before it is used: it has rested, or
// there is something to read on it though no query is under way. The end of a server that was killed is such a thing, and
// without this the first requests after a restart would meet one dead connection after the other.
func suspicious(_ context.Context, p pgxpool.ShouldPingParams) bool {
	return p.IdleDuration > rested || readable(p.Conn.PgConn().Conn())
}
