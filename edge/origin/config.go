package origin

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/url"
	"time"
)

// Config is what a forwarder is made of.
type Config struct {
	// Core is the origin of core, such as http://core:7400.
	Core string
	// Most is how many requests may be under way to core at once; those beyond are refused, so that a core that hangs
	// takes no memory from reads. 0 is 1,024.
	Most int
	Pace
	Logger *slog.Logger
}

// Pace bounds how slow a party may be. Zero values are the defaults.
type Pace struct {
	// Caller is how long a caller may let the line rest, sending or taking. 0 is 30 seconds.
	Caller time.Duration
	// Body is how long a caller has for a whole request body. 0 is 10 minutes.
	Body time.Duration
	// Core is how long core has to begin an answer, and may pause within one. 0 is 2 minutes.
	Core time.Duration
}

func (p Pace) withDefaults() Pace {
	return Pace{
		Caller: cmp.Or(p.Caller, 30*time.Second), Body: cmp.Or(p.Body, 10*time.Minute), Core: cmp.Or(p.Core, 2*time.Minute),
	}
}

func (c Config) origin() (*url.URL, error) {
	u, err := url.Parse(c.Core)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil ||
		(u.Path != "" && u.Path != "/") || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("SVC_CORE_URL is %q; it must be an origin such as http://core:7400", c.Core)
	}
	return u, nil
}
