package cli

import (
	"github.com/spf13/cobra"
)

func (a *app) schemaCommand() *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "schema",
		Short: "Push, compare and inspect schemas",
		Long: `Push, compare and inspect schemas.

Schemas are files of canonical collection JSON. The folder is scanned with all below it for *.json; names that start
with a dot, and folders called node_modules or dist, are left out. A file holds one collection, or an array of them.
The whole folder is the set: a deployed collection that it lacks is to be removed.`,
	}, a.schemaPushCommand(), a.schemaDiffCommand(), a.schemaInspectCommand(),
		a.schemaDriftCommand(), a.schemaPromoteCommand(), a.schemaTranslationsCommand())
	cmd.PersistentFlags().StringVar(&a.flags.dir, "dir", "", "`FOLDER` of the schemas (default: schemaDir of the project file, else "+defaultSchemaDir+" beside it)")
	return cmd
}
