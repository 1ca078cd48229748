package cli

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

const rootHelp = `svc works with a content service: it pushes schemas, imports entries, and
publishes change sets.

Settings are taken from the first place that has them:
  1. flags             of one given twice the last counts
  2. the environment   SVC_API_URL, SVC_PROJECT, SVC_ORGANIZATION, SVC_TOKEN,
                       SVC_FORGE_URL, SVC_FORGE_TOKEN
  3. the project file  .svc.json in the working directory or above it: apiUrl,
                       project, organization, schemaDir, forgeUrl
  4. the user file     $XDG_CONFIG_HOME/svc/config.json, or that in ~/.config:
                       token, apiUrl, project, organization, forgeUrl,
                       forgeToken
Each file holds a JSON object. "svc status" shows what is set, and where.
NO_COLOR switches colours off.

Exit codes:
  0  done
  1  failed, or was declined or interrupted
  2  called or configured wrongly; nothing was sent
  3  the credential is missing, is not taken by the service, or may not do this
  4  schemas, content or a change set were checked and refused
  5  the service cannot be reached, or cannot answer at the moment`

// helpTemplate is cobra's, with the exit codes at the end of every page.
const helpTemplate = `{{with (or .Long .Short)}}{{. | trimTrailingWhitespaces}}

{{end}}{{.UsageString}}{{if .HasParent}}
Exit codes: 0 ok, 1 failed, 2 usage, 3 credential, 4 validation, 5 unavailable
{{end}}`

// usageTemplate is cobra's for 80 columns, with a command that only holds others shown by those alone, and every name set
// off from its text by a wide gap.
func usageTemplate(cobras string) string {
	return strings.NewReplacer(
		"{{if .Runnable}}", "{{if and .Runnable (not .HasAvailableSubCommands)}}",
		".NamePadding }} {{.Short}}", ".NamePadding }}  {{.Short}}",
		".FlagUsages ", ".FlagUsagesWrapped 80 ",
	).Replace(cobras)
}

// softBreak is a line end within a paragraph. A line that is indented is none of it.
var softBreak = regexp.MustCompile(`(\S)\n(\S)`)

// reflow breaks an explanation into lines of 80 columns.
func reflow(text string) string {
	const width = 80
	var lines []string
	for paragraph := range strings.SplitSeq(softBreak.ReplaceAllString(text, "$1 $2"), "\n") {
		line := ""
		for i, word := range strings.Split(paragraph, " ") {
			switch {
			case i == 0:
				line = word
			case utf8.RuneCountInString(line+" "+word) > width:
				lines, line = append(lines, line), word
			default:
				line += " " + word
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
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
