// Package embedded runs the servers of the local stack that are Go libraries, each as the only business of its process:
// NATS with JetStream, and an S3 store. They take their configuration from the environment, where no process list shows it.
package embedded

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/nats-io/nats-server/v2/server"
)

// NATSConfig is the configuration of the NATS server.
type NATSConfig struct {
	Listen string `env:"SVC_PART_LISTEN,required"`
	// Dir holds the streams.
	Dir string `env:"SVC_PART_DIR,required"`
	// Token is what every client must show.
	Token string `env:"SVC_PART_TOKEN,required"`
}

// RunNATS serves until the context ends, then closes the streams cleanly. Messages are on disk before they are acknowledged.
func RunNATS(ctx context.Context, cfg NATSConfig) error {
	options, err := natsOptions(cfg)
	if err != nil {
		return err
	}
	nats, err := server.NewServer(options)
	if err != nil {
		return fmt.Errorf("configure NATS: %w", err)
	}
	nats.ConfigureLogger()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		nats.Start()
		nats.WaitForShutdown()
	}()
	select {
	case <-ctx.Done():
		nats.Shutdown()
		<-ended
		return nil
	case <-ended:
		return fmt.Errorf("NATS at %s ended by itself", cfg.Listen)
	}
}

func natsOptions(cfg NATSConfig) (*server.Options, error) {
	host, port, err := net.SplitHostPort(cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen address: %w", err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, fmt.Errorf("listen port: %w", err)
	}
	return &server.Options{
		ServerName:    "local",
		Host:          host,
		Port:          number,
		Authorization: cfg.Token,
		JetStream:     true,
		StoreDir:      cfg.Dir,
		SyncAlways:    true,
		// The command handles signals itself.
		NoSigs:  true,
		Logtime: true,
	}, nil
}
