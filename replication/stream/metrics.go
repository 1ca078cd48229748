package stream

import "github.com/prometheus/client_golang/prometheus"

// Register registers the figures of a connection.
func (c *Conn) Register(r prometheus.Registerer) {
	r.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "svc_stream_connected", Help: "1 while NATS can be reached, else 0.",
		}, func() float64 {
			if c.Connected() {
				return 1
			}
			return 0
		}),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "svc_stream_reconnects_total", Help: "Times that the connection to NATS came back.",
		}, func() float64 { return float64(c.nc.Stats().Reconnects) }),
	)
}
