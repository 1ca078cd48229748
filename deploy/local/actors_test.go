package local_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"svc/deploy/local"
	"svc/deploy/local/localtest"
)

// TestASmallDiskFillsUpAndIsFreed: a full disk takes nothing, a freed one does, and nothing stays mounted.
func TestASmallDiskFillsUpAndIsFreed(t *testing.T) {
	t.Parallel()
	localtest.NeedsDisks(t)
	dir := stackDir(t)
	stack, err := local.New(local.Config{
		Dir: dir, Bin: programs(t), Parts: []local.Kind{local.Postgres, local.NATS}, Throwaway: true,
		Disks: map[string]int64{"nats": 16 << 20, "postgres": 256 << 20},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(stack.Stop(context.Background()), stack.Remove()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Error("the directory of the stack is still there")
		}
	})
	if err := stack.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	execute(t, stack, "CREATE TABLE entry (id text)")
	file := filepath.Join(stack.Dir("nats"), "more")
	if err := stack.FillDisk("nats", 0); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, make([]byte, 4096), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a full disk took a page: %v", err)
	}
	if err := stack.FillDisk("nats", 1<<20); err != nil {
		t.Fatal(err)
	}
	if free, err := stack.DiskFree("nats"); err != nil || free < 1<<19 || free > 1<<20 {
		t.Errorf("%d bytes are free, %v", free, err)
	}
	if err := errors.Join(stack.FreeDisk("nats"), os.WriteFile(file, make([]byte, 2<<20), 0o600)); err != nil {
		t.Error(err)
	}
	if err := stack.FillDisk("redis", 0); err == nil {
		t.Error("a part without a disk was filled")
	}
}

// TestAnOldDirectoryComesBack: what a part wrote after it was kept is gone when it is restored, as often as it is.
func TestAnOldDirectoryComesBack(t *testing.T) {
	t.Parallel()
	stack, _ := start(t, stackDir(t), local.Postgres)
	if _, err := stack.KeepPart("postgres"); err == nil {
		t.Fatal("a running part was kept")
	}
	execute(t, stack, "CREATE TABLE entry (id text)")
	if err := stack.StopPart("postgres"); err != nil {
		t.Fatal(err)
	}
	kept, err := stack.KeepPart("postgres")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := errors.Join(stack.ClearPart("postgres"), stack.RestorePart("postgres", kept), stack.StartPart(t.Context(), "postgres")); err != nil {
			t.Fatal(err)
		}
		// It would be refused if the table of the first round were there.
		execute(t, stack, "INSERT INTO entry VALUES ('a'); CREATE TABLE later ()")
		if err := stack.KillPart("postgres"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAPausedPartIsSilent: with all its processes, so that what goes on in a connection stops too.
func TestAPausedPartIsSilent(t *testing.T) {
	t.Parallel()
	stack, _ := start(t, stackDir(t), local.Postgres)
	conn, err := pgx.Connect(t.Context(), stack.ServiceURL(local.Postgres))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := stack.Pause("postgres"); err != nil {
		t.Fatal(err)
	}
	server, err := stack.Pid("postgres")
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{server, int(conn.PgConn().PID())} {
		eventually(t, "a process of a paused part stops", func() bool { return strings.Contains(status(pid), ") T ") })
	}
	if err := stack.Resume("postgres"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "SELECT 1"); err != nil {
		t.Error(err)
	}
}

// TestPartsAreNamedWhereALinkIsMissing: a test that cuts what is not there would prove nothing.
func TestPartsAreNamedWhereALinkIsMissing(t *testing.T) {
	t.Parallel()
	stack, _ := start(t, stackDir(t), local.Redis)
	for _, cut := range []func() error{
		func() error { return stack.Cut("core", "redis") },
		func() error { return stack.CutOff("redis") },
	} {
		if cut() == nil {
			t.Error("a link that is not there was cut")
		}
	}
}
