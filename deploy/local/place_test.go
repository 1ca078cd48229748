package local_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"svc/deploy/local"
)

// A clone in root's home is the common case: only root may enter it, and PostgreSQL does not run as root.
func TestTheDatabaseGoesAsideWhereItsUserMayNotEnter(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root runs the database as another user")
	}
	dir := filepath.Join(stackDir(t), "private", "var")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	stack, events := start(t, dir, local.Postgres)
	events.await(t, "so the database is kept in")
	execute(t, stack, "CREATE TABLE entry (id text)")
	place, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	if err := stack.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}

	again, _ := start(t, dir, local.Postgres)
	execute(t, again, "INSERT INTO entry VALUES ('a')")
	if err := again.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}

	// Deleting the stack's directory alone leaves the database, whose password is gone then.
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	fresh, _ := start(t, dir, local.Postgres)
	execute(t, fresh, "CREATE TABLE entry (id text)")
	if err := errors.Join(fresh.Stop(context.Background()), fresh.Remove()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(place); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there: %v", place, err)
	}
}

func TestAStaleDatabaseLockDoesNotHinder(t *testing.T) {
	t.Parallel()
	dir := stackDir(t)
	first, _ := start(t, dir, local.Postgres)
	execute(t, first, "CREATE TABLE entry (id text)")
	if err := first.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The process with this number exists: it runs the test.
	lock := filepath.Join(dir, "postgres", "postmaster.pid")
	if err := os.WriteFile(lock, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	second, _ := start(t, dir, local.Postgres)
	execute(t, second, "INSERT INTO entry VALUES ('a')")
}
