package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/deploy/local/process"
)

const (
	postgresUser     = "svc"
	postgresDatabase = "svc"
	// postgresVersion is the oldest major version the product runs on.
	postgresVersion = 15
	// postgresAttempts spans some 15 s: a server does not start while processes of a killed one are still there, which
	// on a busy machine notice only then that it is gone.
	postgresAttempts = 9
)

// postgresURL is the address of a database of the cluster, as a part reaches it; of the stack itself, from is empty.
func (s *Stack) postgresURL(from, database string) string {
	return fmt.Sprintf("postgres://%s:%s@%s/%s?sslmode=disable",
		postgresUser, s.secrets.PostgresPassword, s.route(from, "postgres"), database)
}

// postgresPart is a cluster of its own, listening on loopback alone, with password authentication.
func (s *Stack) postgresPart() (part, error) {
	bin, err := findPostgres()
	if err != nil {
		return part{}, err
	}
	cluster := cluster{bin: bin, dir: s.Dir("postgres"), password: s.secrets.PostgresPassword, auth: "scram-sha-256", stack: s.cfg.Dir}
	if s.cfg.Throwaway {
		cluster.auth = "md5" // tests connect often, and SCRAM hashes thousands of times each time
	}
	return part{
		name: "postgres", kind: Postgres, port: s.port("postgres"),
		attempts: postgresAttempts,
		prepare:  func(context.Context) error { return cluster.prepare(s.say) },
		spec: func() (process.Spec, error) {
			return process.Spec{
				Path: filepath.Join(bin, "postgres"),
				Args: append([]string{"-D", cluster.dir}, s.postgresSettings()...),
				Dir:  "/",
				Env:  basicEnvironment(),
				User: cluster.user,
				// A fast shutdown closes connections; an immediate one ends the backends of an orphan at once.
				Stop:     syscall.SIGINT,
				Orphaned: syscall.SIGQUIT,
				Grace:    30 * time.Second,
			}, nil
		},
		probe: s.probePostgres,
	}, nil
}

func (s *Stack) postgresSettings() []string {
	settings := []string{
		"listen_addresses=" + loopback,
		fmt.Sprintf("port=%d", s.port("postgres")),
		// No socket: its path could be too long for the kernel, and a killed server would leave it behind.
		"unix_socket_directories=",
		"max_connections=300",
		"shared_buffers=256MB",
		"max_wal_size=2GB",
		"checkpoint_timeout=15min",
		"jit=off",
		"timezone=UTC",
		"log_timezone=UTC",
		"log_line_prefix=%m [%p] ",
	}
	if s.cfg.Throwaway {
		// Survives a kill of the server, not one of the machine.
		settings = append(settings, "fsync=off", "full_page_writes=off", "shared_buffers=128MB")
	}
	var args []string
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	return args
}

// probePostgres connects, and creates the database of the service when it is missing.
func (s *Stack) probePostgres(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.postgresURL("", "postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var exists bool
	const query = "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)"
	if err := conn.QueryRow(ctx, query, postgresDatabase).Scan(&exists); err != nil || exists {
		return err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+postgresDatabase)
	return err
}

// cluster is the data directory of a PostgreSQL server.
type cluster struct {
	bin      string
	dir      string
	password string
	// auth is how clients show the password.
	auth string
	// stack is the directory of the stack.
	stack string
	// user runs the server; nil when the supervisor is no superuser and runs it itself.
	user *process.User
}

// prepare makes the cluster when there is none, and clears what a killed server left in it. What is half made never gets
// the cluster's name, so an interrupted start does no harm.
func (c *cluster) prepare(say func(string, ...any)) error {
	if err := c.settle(say); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(c.dir, "PG_VERSION")); err == nil {
		return c.clearLock()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look at the database cluster: %w", err)
	}
	next := c.dir + ".new"
	if err := os.RemoveAll(next); err != nil {
		return fmt.Errorf("remove a half made database cluster: %w", err)
	}
	if err := os.Mkdir(next, 0o700); err != nil {
		return fmt.Errorf("make the database cluster: %w", err)
	}
	if err := c.initialise(next); err != nil {
		return err
	}
	if err := os.Remove(c.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is no database cluster and not empty: %w", c.dir, err)
	}
	return os.Rename(next, c.dir)
}

func (c *cluster) initialise(dir string) error {
	password := dir + ".password"
	if err := os.WriteFile(password, []byte(c.password+"\n"), 0o600); err != nil {
		return fmt.Errorf("hand over the database password: %w", err)
	}
	defer os.Remove(password)
	if c.user != nil {
		if err := errors.Join(c.user.Own(dir), c.user.Own(password)); err != nil {
			return fmt.Errorf("give the database cluster to user %s: %w", c.user.Name, err)
		}
	}
	printed, err := c.user.Run(basicEnvironment(), filepath.Join(c.bin, "initdb"), "--pgdata", dir, "--username", postgresUser,
		"--pwfile", password, "--auth", c.auth, "--encoding", "UTF8", "--locale", "C", "--no-sync")
	if err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, strings.TrimSpace(string(printed)))
	}
	return nil
}
