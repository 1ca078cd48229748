package api

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// pace is how slowly a request body may arrive, and how long a client may take to read an answer.
type pace struct {
	grace  time.Duration // before the rate counts
	rate   int64         // bytes a second, on average
	answer time.Duration // from the end of the body
}

var defaultPace = pace{grace: 30 * time.Second, rate: 32 << 10, answer: 10 * time.Minute}

// A client has takeGrace to read an answer, and more for a large one: it must read at least takeRate bytes a second.
const (
	takeGrace = 30 * time.Second
	takeRate  = 64 << 10
)

func takeTime(bytes int) time.Duration { return takeGrace + time.Duration(bytes/takeRate)*time.Second }

// limit closes the connection on a body that arrives too slowly; it returns nil if there is no body.
func (p pace) limit(w http.ResponseWriter, r *http.Request) *pacedBody {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	body := &pacedBody{ReadCloser: r.Body, pace: p, conn: http.NewResponseController(w), begun: time.Now()}
	r.Body = body
	return body
}

// pacedBody extends the deadlines of its connection while it is read.
type pacedBody struct {
	io.ReadCloser
	pace  pace
	conn  *http.ResponseController
	begun time.Time
	read  int64
	clock *clock // of the work on the request, which waits for the body
	ended bool   // it came whole
	// failed says that it could not be read to its end.
	failed bool
	known  bool // who sends it
}

// Read implements io.Reader. After the end, the server reads from the connection, and its deadlines are left alone.
func (b *pacedBody) Read(p []byte) (int, error) {
	if b.ended {
		return 0, io.EOF
	}
	b.clock.rest()
	defer b.clock.start()
	earned := time.Duration(b.read * int64(time.Second) / b.pace.rate)
	if err := unlessUnsupported(b.conn.SetReadDeadline(b.begun.Add(b.pace.grace + earned))); err != nil {
		return 0, err
	}
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	b.ended = errors.Is(err, io.EOF)
	b.failed = err != nil && !b.ended
	if !b.ended {
		return n, err
	}
	// The time that the body took is not taken from the answer's. The server itself lifts the deadline for reading.
	if gone := unlessUnsupported(b.conn.SetWriteDeadline(time.Now().Add(b.pace.answer))); gone != nil {
		return n, gone
	}
	return n, err
}

// unlessUnsupported is err, but for servers that have no deadlines, such as recorders in tests.
func unlessUnsupported(err error) error {
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}
