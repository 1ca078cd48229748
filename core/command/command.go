// Package command is the command core: it serves, migrates and bootstraps, and has what operators do beside a running
// service: look where logs are, write snapshots, and recover what a database lost.
package command

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/caarlos0/env/v11"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"svc/core"
	"svc/core/account"
	"svc/core/postgres"
)

// Main runs the core command and returns its exit code: 0, or 1 after a failure that was written to stderr.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use: "core", Short: "The management side of svc: schemas, content, publishing, keys",
		SilenceUsage: true, SilenceErrors: true,
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.AddCommand(serveCommand(stderr), migrateCommand(), bootstrapCommand(), planCommand(), recoverCommand(stderr),
		snapshotCommand(stderr), logsCommand(stderr))
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(stderr, "core: "+strings.ReplaceAll(err.Error(), "\n", "\ncore: "))
		return 1
	}
	return 0
}

func serveCommand(stderr io.Writer) *cobra.Command {
	return &cobra.Command{
		Use: "serve", Short: "Serve the API until told to stop; migrates the database first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, logger, err := configured(stderr)
			if err != nil {
				return err
			}
			limitMemory(cfg.Memory)
			c, err := core.New(cmd.Context(), cfg, logger)
			if err != nil {
				return err
			}
			defer c.Close()
			return c.Run(cmd.Context())
		},
	}
}

// configured reads the environment, and makes the logger that it asks for.
func configured(stderr io.Writer) (core.Config, *slog.Logger, error) {
	cfg, err := core.FromEnvironment()
	if err != nil {
		return core.Config{}, nil, err
	}
	logger, err := cfg.Telemetry.Logger(stderr, "core")
	return cfg, logger, err
}

// limitMemory makes the collector work harder as the process nears its bound. What it leaves lying around otherwise is as
// much as all that is in use.
func limitMemory(most int64) {
	debug.SetMemoryLimit(min(most, debug.SetMemoryLimit(-1)))
}

// printJSON prints what a command answers, indented, and ends the line.
func printJSON(w io.Writer, body any) error {
	if err := json.MarshalWrite(w, body, jsontext.WithIndent("  ")); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// databaseURL is all of the configuration that commands on the database need.
func databaseURL() (string, error) {
	var cfg struct {
		URL string `env:"SVC_DATABASE_URL,required,notEmpty"`
	}
	if err := env.Parse(&cfg); err != nil {
		return "", fmt.Errorf("reading the environment: %w", err)
	}
	return cfg.URL, nil
}

func migrateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "migrate", Short: "Bring the database to the version of this program", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			url, err := databaseURL()
			if err != nil {
				return err
			}
			if err := postgres.Migrate(cmd.Context(), url); err != nil {
				return err
			}
			return printVersion(cmd, url)
		},
	}
}

func printVersion(cmd *cobra.Command, url string) error {
	pool, err := postgres.Open(cmd.Context(), url)
	if err != nil {
		return err
	}
	defer pool.Close()
	version, _, err := postgres.Versions(cmd.Context(), pool)
	if err == nil {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "The database is at version %d, which is that of this program.\n", version)
	}
	return err
}

func bootstrapCommand() *cobra.Command {
	var in account.NewOrganization
	var label string
	var machine bool
	cmd := &cobra.Command{
		Use: "bootstrap", Short: "Make the first organization and print its key, which is shown this once", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			made, err := bootstrap(cmd.Context(), in, label)
			if err != nil {
				return err
			}
			return printFounded(cmd.OutOrStdout(), made, machine)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&in.Slug, "organization", "", "slug of the organization, such as acme")
	flags.StringVar(&in.Name, "name", "", "name of the organization (default: its slug)")
	flags.StringVar(&label, "key-label", "bootstrap", "label of the key")
	flags.BoolVar(&machine, "json", false, "print JSON")
	_ = cmd.MarkFlagRequired("organization") // fails for an unknown flag alone
	return cmd
}

func bootstrap(ctx context.Context, in account.NewOrganization, label string) (account.Founded, error) {
	url, err := databaseURL()
	if err != nil {
		return account.Founded{}, err
	}
	if err := postgres.Migrate(ctx, url); err != nil {
		return account.Founded{}, err
	}
	pool, err := postgres.Open(ctx, url)
	if err != nil {
		return account.Founded{}, err
	}
	defer pool.Close()
	return account.Bootstrap(ctx, pool, in, label)
}

func printFounded(w io.Writer, made account.Founded, machine bool) error {
	if !machine {
		_, err := fmt.Fprintf(w, "organization %s (%s)\nkey          %s\nsecret       %s\n\nKeep the secret: it cannot be shown again.\n",
			made.Organization.Slug, made.Organization.ID, made.Key.ID, made.Secret)
		return err
	}
	type named struct {
		ID   string `json:"id"`
		Slug string `json:"slug,omitempty"`
	}
	return json.MarshalWrite(w, struct {
		Organization named  `json:"organization"`
		Key          named  `json:"key"`
		Secret       string `json:"secret"`
	}{named{string(made.Organization.ID), made.Organization.Slug}, named{ID: string(made.Key.ID)}, made.Secret})
}
