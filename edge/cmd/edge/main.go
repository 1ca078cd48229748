// Command edge serves published content from its own disk and passes everything else on to core: `edge serve`. `edge help`
// lists what operators do beside it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"svc/edge"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(edge.Main(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
