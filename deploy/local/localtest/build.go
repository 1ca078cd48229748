// Package localtest gives tests the real services: a database of their own in a PostgreSQL cluster, an object bucket, a
// Redis database, a NATS server. `make test` starts the services once and says in SVC_TEST_* where they are; a lone
// `go test` starts what it needs by itself and stops it when the test process ends.
//
// Only tests may import it.
package localtest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"svc/deploy/local"
)

// Bin returns the directory of the program local: the one that SVC_TEST_BIN names, or one that it builds into the
// user's cache directory.
func Bin() (string, error) {
	if dir := os.Getenv(local.TestBin); dir != "" {
		return dir, nil
	}
	return buildLocal()
}

// Programs is Bin with core, edge and svc in it too.
func Programs() (string, error) {
	if dir := os.Getenv(local.TestBin); dir != "" {
		return dir, nil
	}
	return buildAll()
}

var (
	buildLocal = sync.OnceValues(func() (string, error) { return build("./deploy/local/cmd/local") })
	buildAll   = sync.OnceValues(func() (string, error) {
		return build("./deploy/local/cmd/local", "./core/cmd/core", "./core/cmd/svc", "./edge/cmd/edge")
	})
)

func build(packages ...string) (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	bin := filepath.Join(cache, "svc-localtest", fmt.Sprintf("%x", sha256.Sum256([]byte(root)))[:12])
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", fmt.Errorf("directory of test programs: %w", err)
	}
	// Test processes of several packages come here at the same time.
	lock, err := os.OpenFile(filepath.Join(bin, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return "", fmt.Errorf("lock test programs: %w", err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", fmt.Errorf("lock test programs: %w", err)
	}
	cmd := exec.Command("go", append([]string{"build", "-o", bin + "/"}, packages...)...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	if printed, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", strings.Join(packages, ", "), err, printed)
	}
	return bin, nil
}

// moduleRoot is the directory of the module's go.mod; tests run in the directory of their package.
func moduleRoot() (string, error) {
	printed, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	file := strings.TrimSpace(string(printed))
	if file == "" || file == os.DevNull {
		return "", errors.New("find the module: the test does not run inside it")
	}
	return filepath.Dir(file), nil
}
