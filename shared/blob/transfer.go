package blob

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// exactReader refuses a body that is shorter or longer than it was said to be.
type exactReader struct {
	body io.Reader
	size int64
	left int64
}

func (r *exactReader) Read(p []byte) (int, error) {
	if r.left < 0 {
		return 0, fmt.Errorf("a size of %d bytes", r.size)
	}
	n, err := r.body.Read(p[:min(int64(len(p)), r.left)])
	if r.left -= int64(n); r.left > 0 {
		if err == io.EOF {
			err = fmt.Errorf("the body ends after %d of %d bytes: %w", r.size-r.left, r.size, io.ErrUnexpectedEOF)
		}
		return n, err
	}
	// Before the last byte is given away, so that nothing is written.
	if more, err := io.ReadFull(r.body, make([]byte, 1)); more > 0 || err != io.EOF {
		return 0, fmt.Errorf("the body goes on after its %d bytes: %w", r.size, cmp.Or(err, io.ErrShortBuffer))
	}
	return n, io.EOF
}

// slowest is how many bytes a transfer must move in a second, once it has taken longer than Config.Stall. Without such a
// bound a store that sends a byte now and then would hold its readers for ever.
const slowest = 32 << 10

// within is how long a transfer of so many bytes may take.
func within(stall time.Duration, bytes int64) time.Duration {
	return stall + time.Duration(bytes)*time.Second/slowest
}

// objectReader gives a body that breaks off, or comes too slowly, an error that says so.
type objectReader struct {
	key   string
	body  io.ReadCloser
	left  int64
	stall time.Duration
	// read is how much came, waited how long the store took for it; what the caller takes in between does not count.
	read   int64
	waited time.Duration
}

func (r *objectReader) Read(p []byte) (int, error) {
	begin := time.Now()
	n, err := r.body.Read(p)
	r.waited += time.Since(begin)
	r.left -= int64(n)
	r.read += int64(n)
	switch {
	case err == nil && r.waited > within(r.stall, r.read):
		return n, unavailable("read", r.key, fmt.Errorf("only %d bytes came in %s", r.read, r.waited.Round(time.Millisecond)))
	case err == io.EOF && r.left > 0:
		return n, unavailable("read", r.key, fmt.Errorf("%d bytes are missing: %w", r.left, io.ErrUnexpectedEOF))
	case err != nil && err != io.EOF:
		return n, unavailable("read", r.key, err)
	}
	return n, err
}

func (r *objectReader) Close() error { return r.body.Close() }

// newTransport returns a transport whose connections fail once nothing moves on them for cfg.Stall.
func newTransport(cfg Config) *http.Transport {
	dialer := &net.Dialer{Timeout: cfg.Connect, KeepAlive: 15 * time.Second}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &movingConn{Conn: conn, stall: cfg.Stall}, nil
		},
		TLSHandshakeTimeout:   cfg.Connect + 5*time.Second,
		ResponseHeaderTimeout: cfg.Stall,
		ExpectContinueTimeout: time.Second,
		MaxIdleConnsPerHost:   32,
		IdleConnTimeout:       cfg.Stall,
		DisableCompression:    true,
	}
}

// movingConn moves its deadline ahead with every read and write that begins. Writing extends a pending read too:
// while a body goes out there is nothing to read.
type movingConn struct {
	net.Conn
	stall time.Duration
}

func (c *movingConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c *movingConn) Write(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.stall)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}
