package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"svc/shared/schema"
)

// openedRequest is a branch with the deployed schemas, and the pull request that proposes it.
type openedRequest struct {
	Branch string `json:"branch"`
	Commit string `json:"commit"`
	Remote string `json:"remote"`
	// BranchOutcome is pushed or found, for a branch that was there with the same content.
	BranchOutcome string `json:"branchOutcome"`
	// Outcome is opened, found, or no_forge where none is configured: the command did not do all that it was asked for then.
	Outcome string  `json:"outcome"`
	Number  *int64  `json:"number"`
	URL     *string `json:"url"`
	// Hint says how to open it where no forge is configured.
	Hint string `json:"hint,omitempty"`
}

const (
	requestOpened = "opened"
	requestFound  = "found"
	requestNone   = "no_forge"

	branchPushed = "pushed"
	branchFound  = "found"
)

// propose commits the changes in a work tree of its own, pushes them as a branch and opens a pull request.
func (a *app) propose(ctx context.Context, r *repository, result *pullResult, deployed []*schema.Collection) error {
	tree, remove, err := r.worktree(ctx)
	if err != nil {
		return err
	}
	defer remove()
	at := filepath.Join(tree.top, filepath.FromSlash(tree.folder))
	files, _, err := a.planPull(ctx, at, result.Dir, deployed)
	if err != nil || result.setFiles(files) {
		return err
	}
	if err := a.writePulled(at, files); err != nil {
		return err
	}
	remote, base, err := r.upstream(ctx)
	if err != nil {
		return err
	}
	forge, err := a.forge(ctx, r, remote)
	if err != nil {
		return err
	}
	out := &openedRequest{Branch: branchOf(files), Remote: remote, Outcome: requestNone}
	result.PullRequest = out
	if err := tree.pushBranch(ctx, out, files); err != nil {
		return err
	}
	if forge == nil {
		out.Hint = "no forge is configured: open it by hand, or set SVC_FORGE_URL (or forgeUrl in " + projectFileName + ") and SVC_FORGE_TOKEN"
		return nil
	}
	if err := forge.request(ctx, out, base, files); err != nil {
		return a.explain(err).hinted("the branch " + out.Branch + " is at " + remote + "; the same command finds it and tries again")
	}
	return nil
}

// branchOf names a branch after what it changes: the same change has the same branch, whoever makes it.
func branchOf(files []pulledFile) string {
	sum := sha256.New()
	for _, f := range files {
		if f.changes() {
			fmt.Fprintf(sum, "%s %d %s\n%s\n", f.Outcome, len(f.text), f.File, f.text)
		}
	}
	return "svc/schema-" + hex.EncodeToString(sum.Sum(nil))[:12]
}

// pushBranch commits the files and pushes the commit, unless the remote has the branch: by its name, it has this change.
func (r *repository) pushBranch(ctx context.Context, out *openedRequest, files []pulledFile) error {
	ref := "refs/heads/" + out.Branch
	there, err := r.git(ctx, "ls-remote", "--heads", out.Remote, ref)
	if err != nil {
		return fmt.Errorf("asking the remote %s for the branch: %w", out.Remote, err)
	}
	if commit, _, found := strings.Cut(there, "\t"); found {
		out.Commit, out.BranchOutcome = commit, branchFound
		return nil
	}
	add := []string{"add", "--all", "--"}
	for _, f := range files {
		if f.changes() {
			add = append(add, path.Join(r.folder, f.File))
		}
	}
	for _, args := range [][]string{add, {"commit", "--quiet", "--message", requestTitle + "\n\n" + changeList(files, "")}, {"push", "--quiet", out.Remote, "HEAD:" + ref}} {
		if _, err := r.git(ctx, args...); err != nil {
			return err
		}
	}
	out.BranchOutcome = branchPushed
	out.Commit, err = r.git(ctx, "rev-parse", "HEAD")
	return err
}

const requestTitle = "Pull the deployed schemas"

// changeList is a line for every file that changes, with a mark around its name.
func changeList(files []pulledFile, mark string) string {
	var b strings.Builder
	for _, f := range files {
		if f.changes() {
			fmt.Fprintf(&b, "- %s%s%s: %s\n", mark, f.File, mark, pullMarks[f.Outcome].text)
		}
	}
	return b.String()
}

func (o *openedRequest) show(p *page) {
	state := map[string]string{branchPushed: "pushed to ", branchFound: "is there already at "}[o.BranchOutcome]
	p.line("branch %s %s%s", p.paint(bold, o.Branch), state, o.Remote)
	switch o.Outcome {
	case requestOpened:
		p.line("pull request %s: %s", p.paint(green, "opened"), *o.URL)
	case requestFound:
		p.line("pull request is open already: %s", *o.URL)
	case requestNone:
		p.labelled(yellow, "no pull request:", o.Hint)
	}
}
