// Package limit limits the request rates of callers. A local limiter admits requests, so a read costs no round trip; what was
// admitted is reported to Redis every interval, and Redis' answer blocks callers of whom all edges together admitted too
// much. Without Redis only the local limit holds.
//
// Overshoot: over any time t all edges together admit at most burst + rate·t + edges × (what one edge admits until its
// report is answered), the last being at most the burst. What an edge admitted beyond the shared rate remains its debt: it
// blocks the caller there, and is reported again until all edges together have room for it.
package limit

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"time"
)

// Interval is how often spent requests are reported to Redis.
const Interval = 100 * time.Millisecond

const (
	minRate   = 0.001
	maxRate   = 1e8
	maxWindow = 24 * time.Hour
)

// Config is the environment of the limiter (interface, "Limits").
type Config struct {
	ReadRate       float64  `env:"SVC_READ_RATE" envDefault:"50"`
	ReadBurst      int      `env:"SVC_READ_BURST" envDefault:"0"` // 0: four seconds' worth
	TrustedProxies []string `env:"SVC_TRUSTED_PROXIES" envSeparator:","`
	RedisURL       string   `env:"SVC_REDIS_URL"`
}

// Reads returns the policy of public reads.
func (c Config) Reads() Policy {
	p := Policy{Name: "reads", Rate: c.ReadRate, Burst: c.ReadBurst}
	if p.Burst == 0 {
		p.Burst = max(1, int(4*c.ReadRate))
	}
	return p
}

// Validate reports every fault at once.
func (c Config) Validate() error {
	var errs []error
	if !(c.ReadRate >= minRate) || c.ReadRate > maxRate {
		errs = append(errs, fmt.Errorf("SVC_READ_RATE is %v; it must be a number of requests a second from %v to %v", c.ReadRate, minRate, maxRate))
	} else if p := c.Reads(); p.window() > maxWindow {
		errs = append(errs, fmt.Errorf("SVC_READ_BURST is %d; at SVC_READ_RATE it must not take longer than %s to regain", c.ReadBurst, maxWindow))
	}
	if c.ReadBurst < 0 {
		errs = append(errs, fmt.Errorf("SVC_READ_BURST is %d; it must be at least 1, or 0 for four seconds' worth", c.ReadBurst))
	}
	if _, err := c.Proxies(); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Proxies returns the trusted proxies; a bare address stands for itself alone.
func (c Config) Proxies() (Proxies, error) {
	var out Proxies
	for _, s := range c.TrustedProxies {
		prefix, err := netip.ParsePrefix(s)
		if err != nil {
			addr, addrErr := netip.ParseAddr(s)
			if addrErr != nil {
				return nil, fmt.Errorf("SVC_TRUSTED_PROXIES holds %q; each must be an address or a CIDR range", s)
			}
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		out = append(out, prefix.Masked())
	}
	return out, nil
}

// Policy is a rate (requests a second) with a burst on top.
type Policy struct {
	Name  string
	Rate  float64
	Burst int
}

// Header is the RateLimit-Policy of the IETF draft: the quota and the window in which an idle caller regains it.
func (p Policy) Header() string {
	return fmt.Sprintf("%q;q=%d;w=%d", p.Name, p.Burst, max(1, int(p.window().Seconds()+0.5)))
}

// window is how long an idle caller takes to regain the whole burst.
func (p Policy) window() time.Duration {
	return time.Duration(min(float64(p.Burst)/p.Rate*float64(time.Second), math.MaxInt64/2))
}

// looser is the policy of a whole /48, in which many callers may live.
func (p Policy) looser() Policy { return Policy{Name: p.Name, Rate: 4 * p.Rate, Burst: 4 * p.Burst} }

// emission is the time that one request uses up.
func (p Policy) emission() time.Duration {
	return max(1, time.Duration(float64(time.Second)/p.Rate))
}
