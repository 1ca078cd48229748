package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Kept is a copy of the directory of a part, as it was when KeepPart made it.
type Kept struct {
	// Part is whose directory it was.
	Part string
	dir  string
}

// KeepPart copies the directory of a part that is down: of PostgreSQL, a base backup; of NATS, the stream of that day.
func (s *Stack) KeepPart(name string) (Kept, error) {
	place, err := s.placeOf(name)
	if err != nil {
		return Kept{}, err
	}
	kept := filepath.Join(s.cfg.Dir, "kept")
	if err := os.MkdirAll(kept, 0o755); err != nil {
		return Kept{}, fmt.Errorf("keep %s: %w", name, err)
	}
	dir, err := os.MkdirTemp(kept, name+"-")
	if err != nil {
		return Kept{}, fmt.Errorf("keep %s: %w", name, err)
	}
	if err := copyDir(place, filepath.Join(dir, "data")); err != nil {
		return Kept{}, fmt.Errorf("keep %s: %w", name, err)
	}
	return Kept{name, filepath.Join(dir, "data")}, nil
}

// RestorePart puts a copy in the place of the directory of a part that is down. It may be done several times, and with the
// copy of another part of the same kind.
func (s *Stack) RestorePart(name string, kept Kept) error {
	place, err := s.placeOf(name)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(place); err != nil {
		return fmt.Errorf("restore %s: %w", name, err)
	}
	if err := copyDir(kept.dir, place); err != nil {
		return fmt.Errorf("restore %s from a copy of %s: %w", name, kept.Part, err)
	}
	return nil
}

// placeOf is where the directory of a part that is down really is.
func (s *Stack) placeOf(name string) (string, error) {
	if err := s.mustBeDown(name); err != nil {
		return "", err
	}
	place, err := filepath.EvalSymlinks(s.Dir(name))
	if errors.Is(err, fs.ErrNotExist) {
		return s.Dir(name), nil
	}
	if err != nil {
		return "", fmt.Errorf("directory of %s: %w", name, err)
	}
	return place, nil
}

func (s *Stack) mustBeDown(name string) error {
	r, err := s.find(name)
	if err != nil {
		return err
	}
	if _, err := r.pid(); err == nil {
		return fmt.Errorf("%s runs: stop it before its data is touched", name)
	} else if !errors.Is(err, errDown) {
		return err
	}
	return nil
}

// copyDir copies a directory with the owners, modes and times of everything in it; the copy must not exist.
func copyDir(from, to string) error {
	printed, err := exec.Command("cp", "-a", "--reflink=auto", "--", from, to).CombinedOutput()
	if err != nil {
		return fmt.Errorf("copy %s: %w: %s", from, err, strings.TrimSpace(string(printed)))
	}
	return nil
}
