package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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

// inProject is does for a command that works in a project. limit bounds each of its requests.
func (a *app) inProject(cmd *cobra.Command, limit time.Duration, run func(ctx context.Context, args []string) error) *cobra.Command {
	return a.does(cmd, func(ctx context.Context, args []string) error {
		if err := a.connectProject(limit); err != nil {
			return err
		}
		return run(ctx, args)
	})
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

// mayBeEmpty are the flags that say something where they are empty.
var mayBeEmpty = []string{"description", "locales", "reason", "summary"}

// checkEmpty refuses a flag that is given and says nothing: where "$PROJECT" is not set, --project "$PROJECT" must not mean
// some other project.
func checkEmpty(cmd *cobra.Command) error {
	var empty error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && strings.TrimSpace(f.Value.String()) == "" && !slices.Contains(mayBeEmpty, f.Name) {
			empty = usage("give it a value, or leave it out", "--%s is empty", f.Name)
		}
	})
	return empty
}

// checkFlags refuses flags whose values are of their type and still wrong.
func (a *app) checkFlags(cmd *cobra.Command) error {
	if a.flags.limit < 0 {
		return usage("", "--limit is %d; it must be 0 (all) or more", a.flags.limit)
	}
	return nil
}

// timeFlag is a flag that takes a time between two bounds, in whole seconds.
type timeFlag struct {
	value       *time.Duration
	least, most time.Duration
	zero        bool   // 0 is taken as well
	takes       string // what is taken, with examples
}

// String implements pflag.Value.
func (f timeFlag) String() string {
	if f.value == nil || *f.value == 0 {
		return ""
	}
	return f.value.String()
}

// Type implements pflag.Value.
func (f timeFlag) Type() string { return "duration" }

// Set implements pflag.Value.
func (f timeFlag) Set(text string) error {
	t, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	if (t < f.least || t > f.most || t%time.Second != 0) && !(f.zero && t == 0) {
		return errors.New("it must be " + f.takes)
	}
	*f.value = t
	return nil
}

// flagKinds are what the values of flags must be, by their type.
var flagKinds = map[string]string{"int": "a whole number", "bool": "true or false"}

// flagError is the failure of flags that cannot be read.
func flagError(cmd *cobra.Command, err error) error {
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		kind := flagKinds[bad.GetFlag().Value.Type()]
		if errors.Is(err, strconv.ErrRange) {
			kind = "smaller"
		}
		if t, ok := bad.GetFlag().Value.(timeFlag); ok {
			kind = t.takes
		}
		if kind != "" {
			return usage(seeHelp(cmd), "--%s is %q; it must be %s", bad.GetFlag().Name, bad.GetValue(), kind)
		}
	}
	return usage(seeHelp(cmd), "%v", err)
}

// addWait gives a command the flag --wait; 0 does not wait.
func (a *app) addWait(cmd *cobra.Command) {
	wait := timeFlag{&a.flags.wait, time.Second, 30 * time.Second, true, "a time of 1s to 30s in whole seconds, such as 5s or 30s"}
	cmd.Flags().Var(wait, "wait", "wait for every edge, up to this `TIME` (1s to 30s)")
}

// addLimit gives a command the flag --limit, which bounds a list.
func (a *app) addLimit(cmd *cobra.Command) {
	cmd.Flags().IntVarP(&a.flags.limit, "limit", "n", 25, "how many (`N`) to list; 0 lists all")
}

// addYes gives a command the flag --yes.
func (a *app) addYes(cmd *cobra.Command, usage string) {
	cmd.Flags().BoolVarP(&a.flags.yes, "yes", "y", false, usage)
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
		var names []string
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				names = append(names, c.Name())
			}
		}
		return usage(seeHelp(cmd), "%q needs a command: %s", cmd.CommandPath(), strings.Join(names, ", "))
	}
	return cmd
}

func unknownCommand(cmd *cobra.Command, name string) error {
	cmd.SuggestionsMinimumDistance = 2
	hint := seeHelp(cmd)
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, ", ") + "? " + hint
	}
	return usage(hint, "%q has no command %q", cmd.CommandPath(), name)
}

func seeHelp(cmd *cobra.Command) string { return `see "` + cmd.CommandPath() + ` --help"` }
