// Package cli is the command line "svc": what it is called with, what it prints and how it exits (interface,
// "Client commands").
//
// Every command prints for people by default: aligned tables, in colour on a terminal. With --json it prints exactly
// {"version":1,"data":{…}} in one line on standard output, or {"version":1,"error":{…}} where it failed; warnings,
// errors in words and progress go to standard error in either case. The members of data are only ever added to. The
// exit codes are the constants of type Exit.
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"svc/core/client"
)

// app is one call of the command line.
type app struct {
	World
	flags    flags
	asJSON   bool
	settings settings
	loaded   bool // settings, without a fault
	// client and project are there once a command is connected; project only where it works in one.
	client  *client.Client
	project string
	// uncertain says how to find out whether a request without an answer was carried out.
	uncertain string
	// inFull says where to see all of what a refusal tells in short.
	inFull string
	// warnings are what is to be known about schema files that are taken as they are.
	warnings []issue
	// answers are the lines that a person types; nil before the first question.
	answers *bufio.Reader
	// entered is set once a command has been called rightly and begins.
	entered bool
}

// flags are those that several commands have.
type flags struct {
	token, apiURL, project, organization, dir string
	yes                                       bool
	wait                                      time.Duration
	limit                                     int
}

// Run carries out a command line, given without the program's name, and returns its exit code. A command that waits
// ends when ctx does.
func Run(ctx context.Context, w World, args []string) Exit {
	a := &app{World: w}
	root := a.command()
	root.SetArgs(args)
	root.SetIn(w.In)
	root.SetOut(w.Out)
	root.SetErr(w.Err)
	root.InitDefaultCompletionCmd() // it takes hold of the output
	for _, c := range root.Commands() {
		if c.Name() == "completion" { // it would explain itself, and succeed, whatever comes behind it
			group(c)
		}
	}
	err := root.ExecuteContext(ctx)
	if err == nil {
		return ExitOK
	}
	f := a.explain(err)
	if !a.entered && !errors.As(err, &f) { // cobra's own words
		f = usage(`"svc --help" lists the commands`, "%v", err)
	}
	a.asJSON = a.asJSON || slices.Contains(args, "--json")
	if err := a.report(f); err != nil {
		fmt.Fprintln(w.Err, "error:", err)
		return max(f.exit, ExitFailed)
	}
	return f.exit
}

// The groups of commands in help.
const (
	groupContent = "content"
	groupAccess  = "access"
	groupOther   = "other"
)

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:           "svc",
		Short:         "The command line of the content service",
		Long:          rootHelp,
		Args:          cobra.ArbitraryArgs, // an unknown command is told by RunE, with a suggestion
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
	}
	root.SetHelpTemplate(helpTemplate)
	root.SetHelpCommand(helpCommand())
	root.SetUsageTemplate(usageTemplate(root.UsageTemplate()))
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(&cobra.Group{ID: groupContent, Title: "Content:"}, &cobra.Group{ID: groupAccess, Title: "Access and state:"},
		&cobra.Group{ID: groupOther, Title: "Other:"})
	root.SetHelpCommandGroupID(groupOther)
	root.SetCompletionCommandGroupID(groupOther)
	f := root.PersistentFlags()
	f.StringVar(&a.flags.apiURL, "api-url", "", "`URL` of the API (https://…)")
	f.StringVar(&a.flags.project, "project", "", "`PROJECT` to work in, by id or slug")
	f.StringVar(&a.flags.organization, "organization", "", "`ORGANIZATION` to work in, by id or slug")
	f.StringVar(&a.flags.token, "token", "", "API `KEY`; SVC_TOKEN hides it from others")
	f.BoolVar(&a.asJSON, "json", false, `print {"version":1,"data":…} for machines`)
	for _, group := range []struct {
		id       string
		commands []*cobra.Command
	}{
		{groupContent, []*cobra.Command{a.initCommand(), a.schemaCommand(), a.typesCommand(), a.entriesCommand(), a.changeSetsCommand(), a.previewsCommand(), a.releasesCommand()}},
		{groupAccess, []*cobra.Command{a.statusCommand(), a.whoamiCommand(), a.authCommand(), a.accessCommand(), a.doctorCommand(), a.edgesCommand(), a.coresCommand(), a.usageCommand()}},
		{groupOther, []*cobra.Command{a.versionCommand()}},
	} {
		for _, c := range group.commands {
			c.GroupID = group.id
			root.AddCommand(c)
		}
	}
	return root
}

// World is everything that a command sees of the outside, so that a test can stand in for all of it.
type World struct {
	In       io.Reader
	Out, Err io.Writer
	// InTerminal, OutTerminal and ErrTerminal tell which of the three a person sits at.
	InTerminal, OutTerminal, ErrTerminal bool
	// Width is that of the terminal, in columns; 0 where there is none.
	Width int
	// Env reads a variable of the environment; one that is not set is empty.
	Env func(name string) string
	// Dir is the working directory.
	Dir string
	// Transport carries the requests; nil is one that goes over the network.
	Transport http.RoundTripper
}

// System is the world of this process.
func System() (World, error) {
	dir, err := os.Getwd()
	if err != nil {
		return World{}, fmt.Errorf("finding the working directory: %w", err)
	}
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil { // it is no terminal
		width = 0
	}
	return World{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal: isTerminal(os.Stdin), OutTerminal: isTerminal(os.Stdout), ErrTerminal: isTerminal(os.Stderr),
		Width: width, Env: os.Getenv, Dir: dir,
	}, nil
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
