package stream

import (
	"context"
	"errors"
	"net/url"
	"testing"
	"time"

	"svc/deploy/local/link"
	"svc/deploy/local/localtest"
	"svc/replication/record"
)

// A request whose connection breaks is never answered. One that waited for its deadline all the same kept the bucket of
// reports away for a minute after the server was killed and started again.
func TestARequestEndsWithItsConnection(t *testing.T) {
	address, err := url.Parse(localtest.NATS(t))
	if err != nil {
		t.Fatal(err)
	}
	l, err := link.Open(address.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	address.Host = l.Address()
	c := connect(t, address.String())
	until(t, "connected", c.Connected)
	if err := c.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, request := range map[string]func(context.Context) error{
		"Ensure": c.Ensure,
		"Append": func(ctx context.Context) error {
			last, _, err := c.Last(ctx, "prj_a")
			if err == nil {
				_, err = c.Append(ctx, "prj_a", at(1), record.Stamp{}, []byte("one"), last.Seq)
			}
			return err
		},
		"Lasts": func(ctx context.Context) error { return c.Lasts(ctx, func(Message) error { return nil }) },
		"End": func(ctx context.Context) error {
			_, err := c.End(ctx)
			return err
		},
		"Report": func(ctx context.Context) error { return c.Report(ctx, "edge-1", []byte("well")) },
		"Reports": func(ctx context.Context) error {
			_, err := c.Reports(ctx)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			until(t, "connected", c.Connected)
			l.Set(link.Faults{Cut: true})
			failed := make(chan error, 1)
			go func() { failed <- request(t.Context()) }()
			select {
			case err := <-failed:
				t.Fatalf("it did not wait for an answer: %v", err)
			case <-time.After(100 * time.Millisecond):
			}
			l.Sever()
			l.Mend()
			select {
			case err := <-failed:
				if !errors.Is(err, ErrDisconnected) {
					t.Errorf("it failed with %v", err)
				}
			case <-time.After(requestTimeout * 9 / 10): // a little sooner than without that
				t.Error("it goes on waiting")
			}
			until(t, "it works again", func() bool { return request(t.Context()) == nil })
		})
	}
}
