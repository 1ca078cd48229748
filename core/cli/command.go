package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// does makes run the work of a command that takes exactly the arguments named after its own name in Use.
func (a *app) does(cmd *cobra.Command, run func(ctx context.Context, args []string) error) *cobra.Command {
	names := strings.Fields(cmd.Use)[1:]
	cmd.DisableFlagsInUseLine = true
	cmd.Args = func(cmd *cobra.Command, args []string) error { return checkArgs(cmd, names, args) }
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		a.entered = true
		return run(cmd.Context(), args)
	}
	return cmd
}

// checkArgs compares the arguments with their names; those in brackets may be missing.
func checkArgs(cmd *cobra.Command, names, args []string) error {
	if len(args) > len(names) {
		return usage(seeHelp(cmd), "unexpected argument %q", args[len(names)])
	}
	for i, name := range names {
		if strings.HasPrefix(name, "[") {
			break
		}
		if i >= len(args) || args[i] == "" {
			return usage("the call is: svc "+strings.TrimPrefix(cmd.UseLine(), "svc "), "the argument %s is missing", name)
		}
	}
	return nil
}

// group makes a command that only holds others.
func group(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(commands...)
	cmd.Args = cobra.ArbitraryArgs
	cmd.DisableFlagsInUseLine = true
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, args[0])
		}
		return usage(seeHelp(cmd), "%q needs a command: %s", cmd.CommandPath(), strings.Join(commandNames(cmd), ", "))
	}
	return cmd
}

func unknownCommand(cmd *cobra.Command, name string) error {
	hint := seeHelp(cmd)
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		hint = `did you mean "` + cmd.CommandPath() + " " + near[0] + `"?`
	}
	return usage(hint, "%q has no command %q", cmd.CommandPath(), name)
}

func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

func seeHelp(cmd *cobra.Command) string { return `see "` + cmd.CommandPath() + ` --help"` }

// flagError says in plain words why the flags do not parse.
func flagError(cmd *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return usage(seeHelp(cmd), "%v", err)
	}
	flag := bad.GetFlag()
	return usage(seeHelp(cmd), "--%s is %q; it must be %s", flag.Name, bad.GetValue(), wanted(flag.Value.Type()))
}

// wanted says what a flag of a type takes.
func wanted(kind string) string {
	switch kind {
	case "bool":
		return "true or false"
	case "duration":
		return "a time with its unit, such as 10s"
	case "int":
		return "a whole number"
	}
	return "a value of the kind " + kind
}
