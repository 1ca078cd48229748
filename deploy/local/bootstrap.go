package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
)

const (
	organizationSlug = "local"
	organizationName = "Local"
)

// Account is the organization of the stack and a key that may do everything in it.
type Account struct {
	Organization string `json:"organization"`
	Token        string `json:"token"`
	// Seed is what the stack was to be filled with when it was fresh.
	Seed Seed `json:"seed"`
	// Project is the project of the seed, once it is complete; empty when there is none.
	Project string `json:"project"`
}

func (s *Stack) accountFile() string { return filepath.Join(s.cfg.Dir, "account.json") }

// Account returns the organization and key of a running stack. The first time it has core make them; the key is kept in
// the directory of the stack, for core tells it only once.
func (s *Stack) Account(ctx context.Context) (Account, error) {
	var account Account
	err := readPrivate(s.accountFile(), &account)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return account, err
	}
	token, err := s.bootstrap(ctx)
	if err != nil {
		return Account{}, fmt.Errorf("make the first organization: %w", err)
	}
	account = Account{Organization: organizationSlug, Token: token, Seed: s.cfg.Seed}
	return account, writePrivate(s.accountFile(), account)
}

// bootstrap runs `core bootstrap` and returns the secret it prints.
func (s *Stack) bootstrap(ctx context.Context) (string, error) {
	core, err := s.program("core")
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, core, "bootstrap", "--json",
		"--organization", organizationSlug, "--name", organizationName, "--key-label", "local stack")
	cmd.Env = s.coreEnvironment("", "core")
	var said bytes.Buffer
	cmd.Stderr = &said
	printed, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%w: %s (when the key was lost, start over with another SVC_LOCAL_DIR, or delete %s)",
			err, strings.TrimSpace(said.String()), s.cfg.Dir)
	}
	var made struct {
		Secret string `json:"secret"`
	}
	if err := json.Unmarshal(printed, &made); err != nil {
		return "", fmt.Errorf("output of core bootstrap: %w", err)
	}
	if made.Secret == "" {
		return "", errors.New("core bootstrap printed no secret")
	}
	return made.Secret, nil
}
