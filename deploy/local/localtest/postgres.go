package localtest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"hash/fnv"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Postgres returns the address of a new, empty database (UTF8, C locale) that only this test uses. It is dropped when the
// test ends, even if others are still connected.
func Postgres(t testing.TB) string {
	t.Helper()
	return createDatabase(t, "template0")
}

// PostgresFrom returns the address of a new database that is a copy of a prepared one. The first test that asks for a key
// prepares it, such as by running the migrations; all tests of all processes that share the cluster then copy it, which
// takes some 20 ms. The key must change whenever what prepare does changes: a hash of the migrations will do. prepare must
// have closed its connections when it returns.
func PostgresFrom(t testing.TB, key string, prepare func(ctx context.Context, url string) error) string {
	t.Helper()
	template := fmt.Sprintf("template_%x", sha256.Sum256([]byte(key)))[:40]
	if _, ready := prepared.Load(template); !ready {
		conn := connect(t)
		err := prepareTemplate(t.Context(), conn, template, func(ctx context.Context) error {
			return prepare(ctx, databaseURL(t, template))
		})
		closeConn(t, conn) // gives back the lock
		if err != nil {
			t.Fatalf("prepare database %s: %v", template, err)
		}
		prepared.Store(template, true)
	}
	return createDatabase(t, template)
}

// prepared has the templates that this process found complete.
var prepared sync.Map

// prepareTemplate makes the template unless it is there. It gets its final mark, "is_template", only when it is complete.
func prepareTemplate(ctx context.Context, conn *pgx.Conn, template string, prepare func(context.Context) error) error {
	hash := fnv.New64a()
	hash.Write([]byte(template))
	lock := int64(hash.Sum64())
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", lock); err != nil {
		return err
	}
	// Closing the connection gives the lock back.
	var complete bool
	const query = "SELECT coalesce(bool_or(datistemplate), false) FROM pg_database WHERE datname = $1"
	if err := conn.QueryRow(ctx, query, template).Scan(&complete); err != nil || complete {
		return err
	}
	for _, statement := range []string{
		"DROP DATABASE IF EXISTS " + template + " WITH (FORCE)",
		"CREATE DATABASE " + template + " TEMPLATE template0",
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	if err := prepare(ctx); err != nil {
		return err
	}
	_, err := conn.Exec(ctx, "ALTER DATABASE "+template+" IS_TEMPLATE true")
	return err
}

func createDatabase(t testing.TB, template string) string {
	t.Helper()
	name := "test_" + strings.ToLower(rand.Text())
	// Copying files is twice as fast as copying through the log of a cluster that does not wait for its disk.
	if err := administer(t, "CREATE DATABASE "+name+" TEMPLATE "+template+" STRATEGY file_copy"); err != nil {
		t.Fatalf("create a test database: %v", err)
	}
	t.Cleanup(func() {
		if err := administer(t, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("drop test database %s: %v", name, err)
		}
	})
	return databaseURL(t, name)
}

// admin is a connection that the tests of this process share.
var admin struct {
	sync.Mutex
	conn *pgx.Conn
}

// administer runs a statement, also after the context of the test has ended.
func administer(t testing.TB, statement string) error {
	t.Helper()
	admin.Lock()
	defer admin.Unlock()
	if admin.conn == nil || admin.conn.IsClosed() {
		conn, err := pgx.Connect(context.Background(), databaseURL(t, "postgres"))
		if err != nil {
			return err
		}
		admin.conn = conn
	}
	_, err := admin.conn.Exec(context.Background(), statement)
	return err
}

func connect(t testing.TB) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL(t, "postgres"))
	if err != nil {
		t.Fatalf("connect to the test cluster: %v", err)
	}
	return conn
}

func closeConn(t testing.TB, conn *pgx.Conn) {
	t.Helper()
	if err := conn.Close(context.Background()); err != nil {
		t.Errorf("close connection: %v", err)
	}
}

// databaseURL is the address of another database of the cluster that SVC_TEST_DATABASE_URL points to.
func databaseURL(t testing.TB, name string) string {
	t.Helper()
	address, err := url.Parse(postgres.lookup(t)("SVC_TEST_DATABASE_URL"))
	if err != nil {
		t.Fatalf("SVC_TEST_DATABASE_URL: %v", err)
	}
	address.Path = "/" + name
	return address.String()
}
