// Command bench measures the service on stacks of its own; see package bench.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"svc/bench"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := bench.Main(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
