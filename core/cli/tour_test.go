package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// The tour has a line for every command for schemas, with all of its flags.
func TestTheTourNamesEveryFlagForSchemas(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deploy/docs/TOUR.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "| `"); ok {
			name, _, _ := strings.Cut(rest, "`")
			lines[name] = line
		}
	}
	schema, _, err := (&app{}).command().Find([]string{"schema"})
	if err != nil {
		t.Fatal(err)
	}
	for _, cmd := range schema.Commands() {
		line, ok := lines[cmd.Name()]
		if !ok {
			t.Errorf("there is no line of svc schema %s", cmd.Name())
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !strings.Contains(line, "`--"+f.Name+"`") {
				t.Errorf("the line of svc schema %s is without --%s", cmd.Name(), f.Name)
			}
		})
	}
}
