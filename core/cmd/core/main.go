// Command core runs the management side of the service, `core serve`, and what operators do beside it: `core help` lists
// the commands.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"svc/core/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(command.Main(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
