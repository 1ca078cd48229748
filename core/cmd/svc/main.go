// Command svc is the command line of the content service; package cli says what it does.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"svc/core/cli"
)

func main() {
	os.Exit(int(run()))
}

func run() cli.Exit {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	world, err := cli.System()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return cli.ExitFailed
	}
	return cli.Run(ctx, world, os.Args[1:])
}
