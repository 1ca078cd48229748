package cli

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"svc/shared/content"
)

// completionTime is how long the service may take to complete a word.
const completionTime = 2 * time.Second

// suggest returns words that a shell may complete to, each with a description after a tab. A failure is no word.
type suggest func(a *app, ctx context.Context) []string

// completeFlag completes the values of a flag.
func (a *app) completeFlag(cmd *cobra.Command, flag string, words suggest) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return a.quietly(cmd.Context(), words), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic("cli: completing --" + flag + ": " + err.Error()) // there is no such flag
	}
}

// completeArgument completes the first argument of a command.
func (a *app) completeArgument(words suggest) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.quietly(cmd.Context(), words), cobra.ShellCompDirectiveNoFileComp
	}
}

// quietly asks for words without a word to the person who is typing.
func (a *app) quietly(ctx context.Context, words suggest) []string {
	silent := *a
	silent.Err, silent.ErrTerminal = io.Discard, false
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	return words(&silent, ctx)
}

func completeJSONLines(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"jsonl", "ndjson"}, cobra.ShellCompDirectiveFilterFileExt
}

func (a *app) completeSets(ctx context.Context) []string { return a.setsWith(ctx, nil) }

func (a *app) completeOpenSets(ctx context.Context) []string {
	return a.setsWith(ctx, content.ChangeSetStatus.Editable)
}

// setsWith lists the newest change sets in a status that is wanted; nil wants every one.
func (a *app) setsWith(ctx context.Context, wanted func(content.ChangeSetStatus) bool) []string {
	c, project, err := a.connectProject(completionTime)
	if err != nil {
		return nil
	}
	sets, _, err := c.RecentChangeSets(ctx, project, "", 100)
	if err != nil {
		return nil
	}
	var words []string
	for _, s := range sets {
		if wanted == nil || wanted(s.Status) {
			words = append(words, string(s.ID)+"\t"+clean(s.Title))
		}
	}
	return words
}

// completeCollections lists the collections that the schema folder declares, else the deployed ones.
func (a *app) completeCollections(ctx context.Context) []string {
	s, err := a.mustLoad()
	if err != nil {
		return nil
	}
	if set, err := a.loadSchemas(ctx, s.schemaDir); err == nil {
		var words []string
		for _, c := range set.Collections {
			words = append(words, c.Name+"\t"+clean(c.Label))
		}
		return words
	}
	c, project, err := a.connectProject(completionTime)
	if err != nil {
		return nil
	}
	deployed, err := c.Schema(ctx, project)
	if err != nil {
		return nil
	}
	var words []string
	for _, d := range deployed.Collections {
		words = append(words, d.Name)
	}
	return words
}
