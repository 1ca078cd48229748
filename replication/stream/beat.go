package stream

import (
	"fmt"

	"github.com/nats-io/nats.go"
)

// Beat sends a heartbeat to whoever listens now.
func (c *Conn) Beat(heartbeat []byte) error {
	if err := c.nc.Publish(heartbeatSubject, heartbeat); err != nil {
		return fmt.Errorf("send a heartbeat: %w", mapError(err))
	}
	return nil
}

// Beats calls f with every heartbeat from now on, one at a time, until stop is called. It lasts over reconnects.
func (c *Conn) Beats(f func(heartbeat []byte)) (stop func(), err error) {
	sub, err := c.nc.Subscribe(heartbeatSubject, func(m *nats.Msg) { f(m.Data) })
	if err != nil {
		return nil, fmt.Errorf("listen to heartbeats: %w", mapError(err))
	}
	return func() {
		if err := sub.Unsubscribe(); err != nil {
			c.log.Debug("stop listening to heartbeats", "error", err)
		}
	}, nil
}
