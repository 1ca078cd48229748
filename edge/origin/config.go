package origin

import (
	"cmp"
	"log/slog"
	"time"
)

// Config is what a forwarder is made of.
type Config struct {
	// Cores carries what is passed on.
	Cores *Cores
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
	// Core is how long core may pause within an answer. 0 is 2 minutes.
	Core time.Duration
}

func (p Pace) withDefaults() Pace {
	return Pace{
		Caller: cmp.Or(p.Caller, 30*time.Second), Body: cmp.Or(p.Body, 10*time.Minute), Core: cmp.Or(p.Core, 2*time.Minute),
	}
}
