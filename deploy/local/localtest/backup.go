package localtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Backup is a copy of a database as it was at one moment.
type Backup struct {
	address, name, copy string
}

// BackUp copies a database. All who are connected to it lose the connection.
func BackUp(t testing.TB, address string) *Backup {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatalf("the address of a database: %v", err)
	}
	b := &Backup{name: strings.TrimPrefix(u.Path, "/"), copy: "backup_" + strings.ToLower(rand.Text())}
	u.Path = "/postgres"
	b.address = u.String()
	b.run(t, t.Context(), b.closing())
	b.run(t, t.Context(), b.ending(), fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s", b.copy, b.name))
	b.run(t, t.Context(), b.opening())
	t.Cleanup(func() { b.run(t, context.Background(), fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", b.copy)) })
	return b
}

// Restore puts the copy in the place of the database. It may be done several times.
func (b *Backup) Restore(t testing.TB) {
	t.Helper()
	b.run(t, t.Context(), b.closing())
	b.run(t, t.Context(), fmt.Sprintf("DROP DATABASE %s WITH (FORCE)", b.name))
	b.run(t, t.Context(), fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s", b.name, b.copy))
}

// closing keeps everybody out from when it is committed.
func (b *Backup) closing() string {
	return fmt.Sprintf("ALTER DATABASE %s ALLOW_CONNECTIONS false", b.name)
}

// ending ends the connections there are.
func (b *Backup) ending() string {
	return fmt.Sprintf("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '%s'", b.name)
}

func (b *Backup) opening() string {
	return fmt.Sprintf("ALTER DATABASE %s ALLOW_CONNECTIONS true", b.name)
}

// inUse is the SQLSTATE of what cannot be done while somebody is connected to the database.
const inUse = "55006"

// run runs statements, each in a transaction of its own, and all of them again where somebody was connected meanwhile: who
// was about to be when the database was closed comes in after it.
func (b *Backup) run(t testing.TB, ctx context.Context, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(ctx, b.address)
	if err != nil {
		t.Fatalf("connect to the test cluster: %v", err)
	}
	defer conn.Close(context.Background())
	for range 10 {
		if err = runAll(ctx, conn, statements); !is(err, inUse) {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func runAll(ctx context.Context, conn *pgx.Conn, statements []string) error {
	for _, s := range statements {
		if _, err := conn.PgConn().Exec(ctx, s).ReadAll(); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

func is(err error, state string) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == state
}
