package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc/shared/schema"
)

// does makes run the work of a command that takes exactly the arguments named after its own name in Use.
func (a *app) does(cmd *cobra.Command, run func(ctx context.Context, args []string) error) *cobra.Command {
	names := strings.Fields(cmd.Use)[1:]
	cmd.Long = reflow(cmd.Long)
	cmd.DisableFlagsInUseLine = true
	cmd.Args = func(cmd *cobra.Command, args []string) error { return checkArgs(cmd, names, args) }
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		a.entered = true
		if err := cmp.Or(checkEmpty(cmd), a.checkFlags(cmd)); err != nil {
			return err
		}
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

// mayBeEmpty are the texts that say something where they are empty.
var mayBeEmpty = []string{"locales", "reason", "summary"}

// checkEmpty refuses a flag that is given and says nothing: where "$PROJECT" is not set, --project "$PROJECT" must not mean
// some other project.
func checkEmpty(cmd *cobra.Command) error {
	var empty error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && strings.TrimSpace(f.Value.String()) == "" && !slices.Contains(mayBeEmpty, f.Name) && empty == nil {
			name, _ := pflag.UnquoteUsage(f)
			empty = usage("give it a value, or leave it out", "--%s is empty; it takes %s", f.Name, name)
		}
	})
	return empty
}

// group makes a command that only holds others.
func group(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(commands...)
	cmd.Long = reflow(cmd.Long)
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
	if near := meantCommand(cmd, name); near != "" {
		hint = `did you mean "` + cmd.CommandPath() + " " + near + `"?`
	}
	return usage(hint, "%q has no command %q", cmd.CommandPath(), name)
}

// meantCommand is the command that was probably meant: the nearest one, else the one that begins like that.
func meantCommand(cmd *cobra.Command, name string) string {
	names := commandNames(cmd)
	if near := schema.Nearest(name, names); near != "" {
		return near
	}
	begins := slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, strings.ToLower(name)) })
	if len(begins) == 1 {
		return begins[0]
	}
	return ""
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
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	switch {
	case errors.As(err, &bad):
		flag := bad.GetFlag()
		return usage(seeHelp(cmd), "--%s is %q; it must be %s", flag.Name, bad.GetValue(), wanted(flag.Value.Type()))
	case errors.As(err, &bare):
		name, _ := pflag.UnquoteUsage(bare.GetFlag())
		return usage(seeHelp(cmd), "--%s is without its value: --%[1]s %s", bare.GetFlag().Name, strings.ToUpper(name))
	case errors.As(err, &unknown):
		return usage(meantFlag(cmd, unknown.GetSpecifiedName()), "%v", err)
	}
	return usage(seeHelp(cmd), "%v", err)
}

// meantFlag is the hint for a flag that there is not.
func meantFlag(cmd *cobra.Command, name string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := schema.Nearest(name, names); near != "" {
		return "did you mean --" + near + "? " + seeHelp(cmd)
	}
	if slices.Contains(commandNames(cmd), name) {
		return `did you mean "` + cmd.CommandPath() + " " + name + `"?`
	}
	return seeHelp(cmd)
}

// wanted says what a flag of a type takes.
func wanted(kind string) string {
	switch kind {
	case "bool":
		return "true or false"
	case "duration":
		return "a time of 1s to 30s with its unit, such as 10s"
	case "int":
		return "a whole number"
	}
	return "a value of the kind " + kind
}
