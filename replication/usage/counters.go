// Package usage brings what edges counted to core: what organizations used, and when API keys were last used.
//
// Counters only grow, and a statement has their totals since the process started. So a statement may be lost as long as a later
// one arrives, may be read any number of times and by any number of cores, and needs no order: one who knows the last total of an
// edge and its start knows what is new (package core/metering). A process that starts again counts from 0 under its new start.
//
// An edge states what it counted every SendEvery, in a bucket in NATS that holds the last statement of each start for a week.
//
// # What is lost
//
// An edge that stops loses nothing while NATS can be reached. One that is killed loses what it counted since its last statement:
// SendEvery, or the whole time that NATS could not be reached before. Statements that no core reads within stream.UsageTTL are
// lost, and those that NATS loses with its disk are lost of edges that are gone; an edge that runs states all of it again.
// Nothing is ever counted twice.
package usage

import (
	"sync"
	"sync/atomic"

	"svc/shared/content"
)

// Meter names what is counted.
type Meter string

// PublicAPIRequests are the public reads of an organization's projects that were answered (contract, "Limits"): not preflights,
// not those that the rate limit refused, not failures of the service.
const PublicAPIRequests Meter = "public_api_requests"

// Counted is one counter of a process.
type Counted struct {
	Organization content.OrganizationID `json:"organization"`
	Meter        Meter                  `json:"meter"`
	Total        uint64                 `json:"total"` // since the process started
}

// Counters count what organizations use. The zero value is ready, and safe for concurrent use.
type Counters struct {
	mu     sync.RWMutex
	places map[counter]*atomic.Uint64
	order  []counter // in which they appeared
}

type counter struct {
	organization content.OrganizationID
	meter        Meter
}

// Add counts n more of a meter.
func (c *Counters) Add(organization content.OrganizationID, meter Meter, n uint64) {
	key := counter{organization, meter}
	c.mu.RLock()
	total := c.places[key]
	c.mu.RUnlock()
	if total == nil {
		total = c.begin(key)
	}
	total.Add(n)
}

func (c *Counters) begin(key counter) *atomic.Uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.places == nil {
		c.places = map[counter]*atomic.Uint64{}
	}
	if c.places[key] == nil {
		c.places[key] = new(atomic.Uint64)
		c.order = append(c.order, key)
	}
	return c.places[key]
}

// Totals returns every counter, always in the same order: new ones come last.
func (c *Counters) Totals() []Counted {
	c.mu.RLock()
	defer c.mu.RUnlock()
	all := make([]Counted, len(c.order))
	for i, key := range c.order {
		all[i] = Counted{key.organization, key.meter, c.places[key].Load()}
	}
	return all
}
