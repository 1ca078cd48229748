package cli

import (
	"context"
	"slices"
	"strings"
)

// remote is where branches of this one are pushed: the remote that it follows, else origin, else the only one.
func (r *repository) remote(ctx context.Context) (string, error) {
	if r.branch != "" {
		name, err := r.optional(ctx, "config", "branch."+r.branch+".remote")
		if err != nil || name != "" && name != "." {
			return name, err
		}
	}
	all, err := r.git(ctx, "remote")
	names := strings.Fields(all)
	if err != nil || len(names) == 1 {
		return strings.Join(names, ""), err
	}
	if slices.Contains(names, "origin") {
		return "origin", nil
	}
	if len(names) == 0 {
		f := failed("the git repository %s has no remote that a branch could be pushed to", r.top)
		f.hint = r.typed("remote", "add", "origin", "URL") + " adds one"
		return "", f
	}
	f := failed("the git repository %s has several remotes, %s, and it is not said which one the branch is to be pushed to", r.top, strings.Join(names, ", "))
	f.hint = "check out a branch that follows one of them"
	if r.branch != "" {
		f.hint = r.typed("config", "branch."+r.branch+".remote", names[0]) + " says that it is " + names[0]
	}
	return "", f
}

// base is the branch at the remote that this one follows; it is empty where no branch is checked out.
func (r *repository) base(ctx context.Context) (string, error) {
	if r.branch == "" {
		return "", nil
	}
	merge, err := r.optional(ctx, "config", "branch."+r.branch+".merge")
	if name, found := strings.CutPrefix(merge, "refs/heads/"); err == nil && found {
		return name, nil
	}
	return r.branch, err
}

// typed is a git command in quotes, as it is to be typed for this repository.
func (r *repository) typed(words ...string) string {
	if r.elsewhere {
		words = append([]string{"-C", r.top}, words...)
	}
	for i, word := range words {
		words[i] = shellWord(word)
	}
	return `"git ` + strings.Join(words, " ") + `"`
}
