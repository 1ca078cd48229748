package edge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"svc/replication/follow"
	"svc/shared/content"
)

// A request to rebuild is a file beside the store, with the ids of logs, one a line; none are all. It stays until all is
// done, so that neither the end of the edge nor that of the command loses it.
const rebuildFile = "rebuild"

// unknownLogsFile is what the edge leaves beside it: the requested ids of logs that it does not hold.
const unknownLogsFile = "rebuild.unheld"

// requestRebuild leaves a request for the edge that uses a directory, now or next.
func requestRebuild(dir string, logs []string) error {
	for _, id := range logs {
		if !content.IsID[content.ProjectID](id) && !content.IsID[content.OrganizationID](id) {
			return fmt.Errorf("%q is no log; it must be the id of a project (prj_…) or of an organization (org_…)", id)
		}
	}
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("the directory of the edge (SVC_EDGE_DIR): %w", err)
	}
	path := filepath.Join(dir, rebuildFile)
	if err := os.Remove(filepath.Join(dir, unknownLogsFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("request a rebuild: %w", err)
	}
	if err := os.WriteFile(path+".new", []byte(strings.Join(append(logs, ""), "\n")), 0o600); err != nil {
		return fmt.Errorf("request a rebuild: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("request a rebuild: %w", err)
	}
	return nil
}

// awaitRebuild waits until a request is done. Where it named logs that the edge does not hold, that is an error.
func awaitRebuild(ctx context.Context, dir string) error {
	poll := time.NewTicker(watchEvery / 4)
	defer poll.Stop()
	for {
		if _, err := os.Stat(filepath.Join(dir, rebuildFile)); errors.Is(err, fs.ErrNotExist) {
			return unknownLogs(dir)
		} else if err != nil {
			return fmt.Errorf("wait for the rebuild: %w", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the rebuild, which goes on: %w", ctx.Err())
		case <-poll.C:
		}
	}
}

// unknownLogs returns an error that names the logs of a request which the edge does not hold; nil if there were none.
func unknownLogs(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, unknownLogsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the outcome of the rebuild: %w", err)
	}
	return fmt.Errorf("the edge holds no log %s, so there was nothing to rebuild of it", strings.Join(strings.Fields(string(text)), ", "))
}

// rebuild is the request that is being carried out.
type rebuild struct {
	begun   fs.FileInfo // nil: none
	failing bool
}

// handle begins a requested rebuild, and ends the request once it is done.
func (r *rebuild) handle(dir string, f *follow.Follower, logger *slog.Logger) {
	err := r.step(filepath.Join(dir, rebuildFile), f, logger)
	if err != nil && !r.failing {
		logger.Error("a request to rebuild cannot be carried out; trying again", "error", err)
	}
	r.failing = err != nil
}

func (r *rebuild) step(path string, f *follow.Follower, logger *slog.Logger) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		r.begun = nil
		return nil
	}
	if err != nil {
		return err
	}
	if r.begun == nil || !os.SameFile(r.begun, info) {
		if !f.Begun() {
			return nil // what it holds is not known yet
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		logs := strings.Fields(string(text))
		logger.Info("rebuilding what this edge holds, beside what it serves", "logs", logs)
		if unknownLogs := f.Rebuild(logs...); len(unknownLogs) > 0 {
			logger.Warn("there is nothing to rebuild of logs that this edge does not hold", "logs", unknownLogs)
			file := filepath.Join(filepath.Dir(path), unknownLogsFile)
			if err := os.WriteFile(file, []byte(strings.Join(unknownLogs, "\n")), 0o600); err != nil {
				return err
			}
		}
		r.begun = info
	}
	if left := f.Rebuilding(); len(left) > 0 {
		return nil
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	r.begun = nil
	logger.Info("the rebuild is done")
	return nil
}
