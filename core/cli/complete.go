package cli

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"svc/core/wire"
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

// described makes a word of each thing that the project has; where that cannot be asked there are none.
func described[T any](a *app, list func() ([]T, error), word func(T) (name, description string)) (words []string) {
	if a.connectProject(completionTime) != nil {
		return nil
	}
	things, err := list()
	if err != nil {
		return nil
	}
	for _, t := range things {
		if name, description := word(t); name != "" {
			words = append(words, name+"\t"+clean(description))
		}
	}
	return words
}

// mostWords bounds how many change sets and releases are offered.
const mostWords = 100

func (a *app) completeSets(ctx context.Context) []string {
	return a.setsWith(ctx, func(content.ChangeSetStatus) bool { return true })
}

func (a *app) completeOpenSets(ctx context.Context) []string {
	return a.setsWith(ctx, content.ChangeSetStatus.Editable)
}

// setsWith lists the newest change sets in a status that is wanted.
func (a *app) setsWith(ctx context.Context, wanted func(content.ChangeSetStatus) bool) []string {
	return described(a, func() ([]wire.ChangeSet, error) {
		sets, _, err := a.client.RecentChangeSets(ctx, a.project, "", mostWords)
		return sets, err
	}, func(s wire.ChangeSet) (string, string) {
		if !wanted(s.Status) {
			return "", ""
		}
		return string(s.ID), s.Title
	})
}

func (a *app) completeReleases(ctx context.Context) []string {
	return described(a, func() ([]wire.Release, error) {
		releases, _, err := a.client.RecentReleases(ctx, a.project, mostWords)
		return releases, err
	}, func(r wire.Release) (string, string) { return decimal(r.Number), r.Title })
}

// completeCollections lists the collections that the schema folder declares, else the deployed ones.
func (a *app) completeCollections(ctx context.Context) []string {
	if set, _, err := a.loadSchemas(ctx); err == nil {
		var words []string
		for _, c := range set.Collections {
			words = append(words, c.Name+"\t"+clean(c.Label))
		}
		return words
	}
	return described(a, func() ([]wire.Collection, error) {
		deployed, err := a.client.Schema(ctx, a.project)
		return deployed.Collections, err
	}, func(d wire.Collection) (string, string) { return d.Name, "" })
}
