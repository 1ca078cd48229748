package origin

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

const (
	dialTimeout = 1500 * time.Millisecond
	// idle is how long a connection to core may rest. A core that is told to stop goes on for longer than that
	// (SVC_CORE_DRAIN) and ends connections with the answers it gives meanwhile, so that no request meets one that is
	// just being closed.
	idle = 2 * time.Second
	// avoided is how long a core that could not be reached comes last.
	avoided = 5 * time.Second
	// leaving is how long a core comes last that ended a connection with its answer: it is about to stop, and a new connection
	// may meet a listener that is just being closed, which resets it with the request on it.
	leaving = 30 * time.Second
	// hesitation is how long a core has to begin its answer to what only reads, where there is another one to ask: it may
	// hang, with its connections open.
	hesitation = 5 * time.Second
)

// Cores carries requests to the first of several cores that can be reached; any of them answers any request. A request
// goes to another core only where it surely has not reached the first, or changes nothing.
type Cores struct {
	origins   []*url.URL
	shunned   []atomic.Int64 // until when a core comes last, in Unix nanoseconds
	transport *http.Transport
	quick     *http.Transport // for questions, to all cores but the last
	now       func() time.Time
}

// NewCores reads a list of origins such as "http://core-1:7400,http://core-2:7400", nearest first. A core has so long
// to begin an answer; 0 is 2 minutes.
func NewCores(list string, begin time.Duration) (*Cores, error) {
	var origins []*url.URL
	for text := range strings.SplitSeq(list, ",") {
		u, err := originOf(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		origins = append(origins, u)
	}
	c := &Cores{
		origins: origins, shunned: make([]atomic.Int64, len(origins)), now: time.Now,
		transport: &http.Transport{
			DialContext:           (&net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second}).DialContext,
			TLSHandshakeTimeout:   5 * time.Second,
			MaxIdleConnsPerHost:   256,
			IdleConnTimeout:       idle,
			ResponseHeaderTimeout: cmp.Or(begin, 2*time.Minute),
			DisableCompression:    true, // codings are between core and the caller
		},
	}
	c.quick = c.transport.Clone()
	c.quick.ResponseHeaderTimeout = min(hesitation, c.transport.ResponseHeaderTimeout)
	return c, nil
}

func originOf(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil ||
		(u.Path != "" && u.Path != "/") || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("SVC_CORE_URL holds %q; it must be an origin such as http://core:7400, or several with commas between them, nearest first", text)
	}
	u.Path = ""
	return u, nil
}

// Base is the address of the nearest core. Requests are made to it, whichever core gets them.
func (c *Cores) Base() *url.URL { return c.origins[0] }

// CloseIdleConnections lets go of what rests.
func (c *Cores) CloseIdleConnections() {
	c.transport.CloseIdleConnections()
	c.quick.CloseIdleConnections()
}

// RoundTrip implements http.RoundTripper for requests to Base.
func (c *Cores) RoundTrip(r *http.Request) (response *http.Response, err error) {
	order := c.order()
	for i, n := range order {
		transport := c.transport
		if reads(r) && i < len(order)-1 {
			transport = c.quick
		}
		if response, err = transport.RoundTrip(c.to(c.origins[n], r)); err == nil {
			if response.Close {
				c.shun(n, leaving)
			}
			return response, nil
		}
		if !again(r, err) {
			return nil, err // it may be the caller's doing, whose body broke off
		}
		c.shun(n, avoided)
	}
	return nil, err
}

// order lists the cores, those last that could not be reached or were leaving a moment ago.
func (c *Cores) order() []int {
	var good, bad []int
	now := c.now().UnixNano()
	for n := range c.origins {
		if c.shunned[n].Load() > now {
			bad = append(bad, n)
		} else {
			good = append(good, n)
		}
	}
	return append(good, bad...)
}

func (c *Cores) shun(n int, long time.Duration) { c.shunned[n].Store(c.now().Add(long).UnixNano()) }

// to is the request for one core.
func (c *Cores) to(core *url.URL, r *http.Request) *http.Request {
	out, u := *r, *r.URL
	u.Scheme, u.Host = core.Scheme, core.Host
	if rest, ok := strings.CutPrefix(u.Opaque, "//"+r.URL.Host); ok {
		u.Opaque = "//" + core.Host + rest
	}
	out.URL, out.Host = &u, core.Host
	return &out
}

// again tells whether a request that failed may be made to another core.
func again(r *http.Request, err error) bool {
	if r.Context().Err() != nil {
		return false
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return true // nothing was sent
	}
	return reads(r)
}

// reads tells whether a request changes nothing, and can be made again.
func reads(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && (r.Body == nil || r.Body == http.NoBody)
}
