package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Whoever gives a flag a value of the wrong form is told the right one, whatever the flag.
func TestEveryFlagHasWordsForWhatItTakes(t *testing.T) {
	t.Parallel()
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if kind := f.Value.Type(); kind != "string" && strings.Contains(wanted(kind), kind) { // a text takes everything
				t.Errorf("%s --%s: %s", cmd.CommandPath(), f.Name, wanted(kind))
			}
		})
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk((&app{}).command())
}
