package localtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Backup is a copy of a database as it was at one moment.
type Backup struct {
	address, name, copy string
}

// BackUp copies a database. Whoever is connected to it loses the connection.
func BackUp(t testing.TB, address string) *Backup {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatalf("the address of a database: %v", err)
	}
	b := &Backup{name: strings.TrimPrefix(u.Path, "/"), copy: "backup_" + strings.ToLower(rand.Text())}
	u.Path = "/postgres"
	b.address = u.String()
	b.run(t, t.Context(), b.closing(), fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s", b.copy, b.name), b.opening())
	t.Cleanup(func() { b.run(t, context.Background(), fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", b.copy)) })
	return b
}

// Restore puts the copy in the place of the database. It may be done several times.
func (b *Backup) Restore(t testing.TB) {
	t.Helper()
	b.run(t, t.Context(), b.closing(), fmt.Sprintf("DROP DATABASE %s WITH (FORCE)", b.name),
		fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s", b.name, b.copy))
}

// closing keeps everybody out, and ends the connections there are.
func (b *Backup) closing() string {
	return fmt.Sprintf(`ALTER DATABASE %s ALLOW_CONNECTIONS false;
		SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '%s'`, b.name, b.name)
}

func (b *Backup) opening() string {
	return fmt.Sprintf("ALTER DATABASE %s ALLOW_CONNECTIONS true", b.name)
}

func (b *Backup) run(t testing.TB, ctx context.Context, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(ctx, b.address)
	if err != nil {
		t.Fatalf("connect to the test cluster: %v", err)
	}
	defer conn.Close(context.Background())
	for _, s := range statements {
		if _, err := conn.PgConn().Exec(ctx, s).ReadAll(); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}
