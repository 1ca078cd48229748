// Package command is the command line of the program "local".
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/caarlos0/env/v11"

	"svc/deploy/demo"
	"svc/deploy/local"
	"svc/deploy/local/embedded"
)

const usage = `usage:
  local run                                                      the whole stack, until Ctrl-C (configured by SVC_LOCAL_*)
  local stop                                                     end the stack that runs, as Ctrl-C does
  local stop PART, local start PART                              keep a part of it down, such as edge-1; start it again
  local exec PART -- COMMAND...                                  run a command with the settings of a core or an edge of it
  local test-services [-parts postgres,redis,s3] -- COMMAND...   run a command with services for tests beside it
  local test-services [-parts ...] -hold                         print where they are, run until the input ends
  local part nats|s3                                             one embedded server (configured by SVC_PART_*)`

// Run carries out a command line, given without the program's name, and writes help to help where that is asked for.
// SIGINT, SIGTERM and SIGHUP end it in order.
func Run(args []string, help io.Writer) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	if asksHelp(args) {
		_, err := fmt.Fprintln(help, usage)
		return err
	}
	ctx, release := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer release()
	switch args[0] {
	case "run":
		return runStack(ctx, args[1:])
	case "stop":
		return stop(ctx, args[1:])
	case "start":
		return start(ctx, args[1:])
	case "exec":
		return execute(ctx, args[1:])
	case "part":
		return runPart(ctx, args[1:])
	case "test-services":
		return testServices(ctx, args[1:])
	}
	return fmt.Errorf("no command %q\n%s", args[0], usage)
}

// asksHelp looks for the usual ways to ask for help, in place of a command or after one.
func asksHelp(args []string) bool {
	if args[0] == "help" {
		return true
	}
	for _, arg := range args[:min(len(args), 2)] {
		if arg == "-h" || arg == "-help" || arg == "--help" {
			return true
		}
	}
	return false
}

func runStack(ctx context.Context, args []string) error {
	if len(args) > 0 {
		return errors.New(usage)
	}
	cfg, err := local.FromEnvironment()
	if err != nil {
		return err
	}
	return local.Run(ctx, cfg, fillDemo, os.Stdout)
}

func fillDemo(ctx context.Context, apiURL, organization, token string) (string, error) {
	err := demo.Seed(ctx, demo.Target{URL: apiURL, Organization: organization, Token: token})
	return demo.ProjectSlug, err
}

func runPart(ctx context.Context, args []string) error {
	switch {
	case len(args) == 1 && args[0] == "nats":
		return runEmbedded(ctx, embedded.RunNATS)
	case len(args) == 1 && args[0] == "s3":
		return runEmbedded(ctx, embedded.RunS3)
	}
	return errors.New(usage)
}

func runEmbedded[Config any](ctx context.Context, serve func(context.Context, Config) error) error {
	cfg, err := env.ParseAs[Config]()
	if err != nil {
		return err
	}
	return serve(ctx, cfg)
}

func testServices(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("test-services", flag.ContinueOnError)
	names := flags.String("parts", "", "the services to start, all when empty")
	hold := flags.Bool("hold", false, "run until the input ends")
	if err := flags.Parse(args); err != nil {
		return err
	}
	parts, err := local.ParseKinds(*names)
	if err != nil {
		return err
	}
	if *hold {
		return local.HoldTestServices(ctx, parts, os.Stdin, os.Stdout)
	}
	if flags.NArg() == 0 {
		return errors.New(usage)
	}
	return local.RunWithTestServices(parts, os.Stderr, flags.Args())
}
