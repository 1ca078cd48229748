package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// helpTemplate is cobra's, with the exit codes at the end of every page.
var helpTemplate = `{{with (or .Long .Short)}}{{. | trimTrailingWhitespaces}}

{{end}}{{.UsageString}}{{if .HasParent}}
Exit codes: ` + exitLine() + `
{{end}}`

func rootHelp() string {
	return `svc works with a content service: it pushes schemas, imports entries, and publishes change sets.

Settings are taken from the first place that has them:
  1. flags             --api-url, --project, --organization, --token; of one given twice the last counts
  2. the environment   SVC_API_URL, SVC_PROJECT, SVC_ORGANIZATION, SVC_TOKEN
  3. the project file  .svc.json in the working directory or above it:
                       {"apiUrl": …, "project": …, "organization": …, "schemaDir": …, "forgeUrl": …}
  4. the user file     $XDG_CONFIG_HOME/svc/config.json, else ~/.config/svc/config.json:
                       {"token": …, "apiUrl": …, "project": …, "organization": …, "forgeUrl": …, "forgeToken": …}
"svc status" shows what is set, and where. NO_COLOR switches colours off.

Exit codes:` + exitTable()
}

// usageTemplate is cobra's, with a command that only holds others shown by those alone, and every name set off from its
// text by a wide gap.
func usageTemplate(cobras string) string {
	return strings.NewReplacer(
		"{{if .Runnable}}", "{{if and .Runnable (not .HasAvailableSubCommands)}}",
		".NamePadding }} {{.Short}}", ".NamePadding }}  {{.Short}}",
	).Replace(cobras)
}

// showHelp prints the help of a command as write renders it, laid out for the terminal.
func (a *app) showHelp(write func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, args []string) {
		out := cmd.OutOrStdout()
		var page bytes.Buffer
		cmd.SetOut(&page)
		write(cmd, args)
		cmd.SetOut(out)
		if _, err := fmt.Fprint(out, fit(page.String(), a.helpColumns())); err != nil {
			cmd.PrintErrln("error: writing help:", err)
		}
	}
}

// helpCommand is cobra's help command, except that an unknown topic is a failure.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]...",
		Short: "Explain a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil {
				return usage(seeHelp(cmd.Root()), "%v", err)
			}
			if len(rest) > 0 {
				return unknownCommand(found, rest[0])
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}
