package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
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

// propose commits the changed files on a branch of their own, pushes it and opens a pull request. The work tree, its
// branch and its index are not touched.
func (a *app) propose(ctx context.Context, r *repository, files []pulledFile) (*openedRequest, error) {
	if len(byHand(files)) > 0 {
		return nil, handsFirst("some collections share a file, which is for someone to take apart first; nothing was done", files)
	}
	remote, err := r.remote(ctx)
	if err != nil {
		return nil, err
	}
	forge, missing, err := a.forge(ctx, r, remote)
	if err != nil {
		return nil, err
	}
	out := &openedRequest{Branch: branchOf(files), Remote: remote, Outcome: requestNone, Hint: missing}
	if err := r.pushBranch(ctx, out, files); err != nil || forge == nil {
		return out, err
	}
	if err := a.openRequest(ctx, r, forge, out, files); err != nil {
		f := a.explain(err)
		f.hint = strings.TrimSpace("the branch " + out.Branch + " is at " + remote + "; the same command finds it and tries again. " + f.hint)
		return nil, f
	}
	return out, nil
}

// lacking reports whether there is a branch without a pull request.
func (o *openedRequest) lacking() bool { return o != nil && o.Outcome == requestNone }

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

// pushBranch makes the branch and pushes it, unless the remote has it. Nothing is drawn meanwhile: git may ask for a
// password.
func (r *repository) pushBranch(ctx context.Context, out *openedRequest, files []pulledFile) error {
	ref := "refs/heads/" + out.Branch
	there, err := r.git(ctx, "ls-remote", "--heads", out.Remote, ref)
	if err != nil {
		return fmt.Errorf("asking the remote %s for the branch: %w", out.Remote, err)
	}
	if there != "" {
		return r.takeBranch(ctx, out, ref, files)
	}
	if out.Commit, err = r.commit(ctx, files, commitMessage(files)); err != nil {
		return err
	}
	out.BranchOutcome = branchPushed
	if _, err = r.git(ctx, "push", "--quiet", out.Remote, out.Commit+":"+ref); err != nil {
		return fmt.Errorf("pushing the branch to the remote %s: %w", out.Remote, err)
	}
	return nil
}

// takeBranch uses a branch that was pushed before, where it still has the change and nothing else in its place.
func (r *repository) takeBranch(ctx context.Context, out *openedRequest, ref string, files []pulledFile) error {
	if _, err := r.git(ctx, "fetch", "--quiet", "--no-tags", out.Remote, ref); err != nil {
		return err
	}
	commit, err := r.git(ctx, "rev-parse", "--verify", "FETCH_HEAD^{commit}")
	if err != nil {
		return err
	}
	same, err := r.holds(ctx, commit, files)
	if err != nil {
		return err
	}
	if !same {
		f := failed("the branch %s is at %s already, and the schemas in it were changed since", out.Branch, out.Remote)
		f.hint = "merge it, or delete it with " + r.typed("push", out.Remote, "--delete", out.Branch)
		return f
	}
	out.Commit, out.BranchOutcome = commit, branchFound
	return nil
}

const requestTitle = "Pull the deployed schemas"

func commitMessage(files []pulledFile) string {
	return requestTitle + "\n\n" + changeList(files, "", "")
}

// changeList is a line for every file that changes, with marks around its name.
func changeList(files []pulledFile, before, after string) string {
	var b strings.Builder
	for _, f := range files {
		if f.changes() {
			fmt.Fprintf(&b, "- %s%s%s: %s\n", before, f.File, after, pullMarks[f.Outcome].text)
		}
	}
	return b.String()
}

func (o *openedRequest) show(p *page) {
	state := map[string]string{branchPushed: "pushed to ", branchFound: "is there already at "}[o.BranchOutcome]
	p.line("branch %s %s%s", p.paint(bold, clean(o.Branch)), state, clean(o.Remote))
	switch o.Outcome {
	case requestOpened:
		p.line("pull request %s", p.paint(green, "opened")+": "+clean(*o.URL))
	case requestFound:
		p.line("pull request is open already: %s", clean(*o.URL))
	case requestNone:
		p.labelled(yellow, "no pull request:", o.Hint)
	}
}
