package cli

import (
	"github.com/spf13/cobra"
)

func (a *app) schemaCommand() *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "schema",
		Short: "Push, pull, compare and inspect schemas",
		Long: `Push, pull, compare and inspect schemas.

Schemas are TypeScript or JavaScript files that use the package "svc/schema"; "svc init" starts a folder of them. The
folder is scanned with all below it for *.ts, *.mts, *.js and *.mjs; names that start with a dot, *.d.ts, and folders
called node_modules or dist, are left out. A file exports one collection by default, an array of them, or several by
name. They are evaluated by this program, without Node.js, and without files, network or clock of their own. The whole
folder is the set: a push removes the deployed collections that it lacks, where --allow-destructive accepts that.`,
	}, a.schemaPushCommand(), a.schemaDiffCommand(), a.schemaInspectCommand(),
		a.schemaPullCommand(), a.schemaDriftCommand(), a.schemaPromoteCommand(), a.schemaTranslationsCommand())
	cmd.PersistentFlags().StringVar(&a.flags.dir, "dir", "", "`FOLDER` of the schemas (default: schemaDir of the project file, else "+defaultSchemaDir+" beside it)")
	return cmd
}
