package local

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"svc/deploy/local/process"
)

// asideDir is where clusters go whose user cannot enter the directory of the stack.
const asideDir = "/var/lib/svc-local"

// findPostgres finds the directory of the server's programs. Debian keeps it off PATH.
func findPostgres() (string, error) {
	var dirs []string
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	installed, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	slices.SortFunc(installed, func(a, b string) int { return majorVersion(b) - majorVersion(a) })
	dirs = append(dirs, installed...)
	if server, err := exec.LookPath("postgres"); err == nil {
		dirs = append(dirs, filepath.Dir(server))
	}
	for _, dir := range dirs {
		if serverVersion(dir) >= postgresVersion {
			return dir, nil
		}
	}
	return "", fmt.Errorf("no PostgreSQL server of version %d or later is installed (looked in %s): install Debian's "+
		"postgresql-15, or run deploy/local/install.sh", postgresVersion, strings.Join(append(dirs, "PATH"), ", "))
}

// majorVersion reads the version of /usr/lib/postgresql/<version>/bin; 0 when there is none.
func majorVersion(bin string) int {
	version, err := strconv.Atoi(filepath.Base(filepath.Dir(bin)))
	if err != nil {
		return 0
	}
	return version
}

// serverVersion asks the server in a directory for its major version; 0 when there is no complete server.
func serverVersion(bin string) int {
	if _, err := exec.LookPath(filepath.Join(bin, "initdb")); err != nil {
		return 0
	}
	out, err := exec.Command(filepath.Join(bin, "postgres"), "--version").Output()
	if err != nil {
		return 0
	}
	// "postgres (PostgreSQL) 15.20 (Debian 15.20-0+deb12u1)"
	for _, word := range strings.Fields(string(out)) {
		if major, err := strconv.Atoi(strings.SplitN(word, ".", 2)[0]); err == nil {
			return major
		}
	}
	return 0
}

// settle decides who runs the server and where its data is. PostgreSQL refuses to run as root, and the user it runs as has
// to reach its directory: below a directory that only root may enter (a clone in root's home, say) it cannot. The data of
// such a stack is put aside, with a link in its place.
func (c *cluster) settle(say func(string, ...any)) error {
	if os.Geteuid() != 0 {
		return nil
	}
	user, err := process.LookupUser("postgres")
	if err != nil {
		return fmt.Errorf("PostgreSQL does not run as root, and there is no other user to run it as: %w", err)
	}
	c.user = user
	place, err := filepath.EvalSymlinks(c.dir)
	if err == nil {
		c.dir = place
		if !user.CanEnter(filepath.Dir(place)) {
			return fmt.Errorf("user %s may not enter %s, which holds the database cluster: make it and its parents "+
				"accessible (chmod o+x)", user.Name, filepath.Dir(place))
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("place of the database cluster: %w", err)
	}
	if user.CanEnter(c.stack) {
		return nil
	}
	aside := filepath.Join(asideDir, fmt.Sprintf("%x", sha256.Sum256([]byte(c.stack)))[:16])
	say("user %s may not enter %s, so the database is kept in %s", user.Name, c.stack, aside)
	return c.moveAside(aside)
}

// moveAside puts the cluster into a directory whose parents everybody may enter. What a deleted stack left there under the
// same name is removed: its password went with it.
func (c *cluster) moveAside(aside string) error {
	if err := os.MkdirAll(asideDir, 0o755); err != nil {
		return fmt.Errorf("place of the database cluster: %w", err)
	}
	if !c.user.CanEnter(asideDir) {
		return fmt.Errorf("user %s may enter neither %s nor %s: set SVC_LOCAL_DIR to a directory it may enter, such as "+
			"/srv/svc", c.user.Name, c.stack, asideDir)
	}
	if err := os.RemoveAll(aside); err != nil {
		return fmt.Errorf("remove the database cluster of a deleted stack: %w", err)
	}
	// A link that points nowhere is left when the place aside was removed.
	if err := os.Remove(c.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("place of the database cluster: %w", err)
	}
	if err := os.Symlink(aside, c.dir); err != nil {
		return fmt.Errorf("place of the database cluster: %w", err)
	}
	c.dir = aside
	return nil
}

// clearLock removes the lock file of a server that is gone. The server does so itself unless another program of the same
// user has taken its process id meanwhile.
func (c *cluster) clearLock() error {
	path := filepath.Join(c.dir, "postmaster.pid")
	lock, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the lock of the database cluster: %w", err)
	}
	first, _, _ := bytes.Cut(lock, []byte("\n"))
	pid := strings.TrimSpace(string(first))
	cmdline, err := os.ReadFile(filepath.Join("/proc", pid, "cmdline"))
	if err == nil && bytes.Contains(cmdline, []byte(c.dir)) {
		return fmt.Errorf("a PostgreSQL server that this stack did not start runs on %s (process %s): stop it first", c.dir, pid)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("clear the lock of the database cluster: %w", err)
	}
	return nil
}
