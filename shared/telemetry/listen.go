package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// AdminListener opens the address at which a program shows its metrics to its operators, away from the one at which it
// serves everybody. An empty address is none: the listener is nil then.
func AdminListener(ctx context.Context, variable, address string) (net.Listener, error) {
	if address == "" {
		return nil, nil
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w", variable, err)
	}
	return l, nil
}

// CheckAdminListen returns what is wrong with the address of an admin listener; empty is fine.
func CheckAdminListen(variable, address, public string) error {
	if address == "" {
		return nil
	}
	if _, port, err := net.SplitHostPort(address); err != nil {
		return fmt.Errorf("%s is %q; it must be host:port, or empty to show no metrics", variable, address)
	} else if address == public && port != "0" {
		return fmt.Errorf("%s is %q, where everybody is served; it must be another address", variable, address)
	}
	return nil
}

// ServeMetrics answers GET /metrics of a registry on a listener until ctx ends.
func ServeMetrics(ctx context.Context, l net.Listener, r *prometheus.Registry) error {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", Handler(r))
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: 75 * time.Second, MaxHeaderBytes: 16 << 10,
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // what scrapes comes again
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
