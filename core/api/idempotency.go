package api

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"svc/core/postgres"
	"svc/shared/fault"
)

const (
	idempotencyHeader = "Idempotency-Key"
	maxIdempotencyKey = 255 // characters
)

// once runs a mutating call; with an Idempotency-Key it takes effect at most once in 24 hours, and the same request gets
// the first answer again (decisions on management requests), for which it waits where the first is still running. From
// when it takes the key it runs to its end, bounded by its own time alone, whether or not its caller is there. Failures are
// not kept: they changed nothing, and the caller may try again.
func (c *call) once(run func() (reply, error)) (reply, error) {
	key, given, err := c.idempotencyKey()
	if err != nil {
		return reply{}, err
	}
	if !given {
		return run()
	}
	hash, err := c.fingerprint()
	if err != nil {
		return reply{}, err
	}
	if !c.clock.detach() {
		return reply{}, c.gin.Request.Context().Err()
	}
	store := c.answers(key)
	first, err := store.take(c.gin.Request.Context(), c.ctx(), hash, c.server.patience)
	if err != nil || first != nil {
		return deref(first), err
	}
	return c.runClaimed(store, run)
}

// runClaimed runs a call whose key is taken, and notes its outcome; a handler that panics changed nothing it did not commit.
func (c *call) runClaimed(store answers, run func() (reply, error)) (answer reply, err error) {
	c.clock.give(c.server.times.of(c.route)) // waiting for the first is no work
	alive := store.stayAlive(c.ctx())
	err = errPanicked
	defer func() { c.note(store, answer, err, alive) }()
	c.work = postgres.Opening(c.work, store.mark)
	answer, err = run()
	if err == nil {
		answer, err = answer.fixed()
	}
	return answer, err
}

// errPanicked is the outcome of a request whose handler did not return.
var errPanicked = errors.New("the handler panicked")

func (c *call) answers(key string) answers {
	return answers{pool: c.server.Pool, actor: c.actor.ID, key: key, secret: joined(c.gin.Request.Header, "Authorization")}
}

// answeredBefore is for a call about something that is not there: it may be gone because of the same call, whose
// answer is given again.
func (c *call) answeredBefore(missing error) (reply, error) {
	if !fault.Is(missing, fault.NotFound) || c.actor == nil || c.route.method == get {
		return reply{}, missing
	}
	key, given, err := c.idempotencyKey()
	if err != nil || !given {
		return reply{}, missing
	}
	hash, err := c.fingerprint()
	if err != nil {
		return reply{}, err
	}
	c.clock.give(c.server.times.write)
	if first, err := c.answers(key).existing(c.gin.Request.Context(), c.ctx(), hash, c.server.patience); first != nil || err != nil {
		return deref(first), err
	}
	return reply{}, missing
}

// fixed is the reply with its body encoded, so that it is sent now as it will be sent again.
func (r reply) fixed() (reply, error) {
	body, err := r.encode()
	if err != nil {
		return reply{}, fmt.Errorf("encoding an answer: %w", err)
	}
	if r.status == 0 {
		r.status = http.StatusOK
	}
	if body == nil {
		return reply{status: r.status}, nil
	}
	return reply{status: r.status, body: kept(body)}, nil
}

func (c *call) idempotencyKey() (key string, given bool, err error) {
	values := c.gin.Request.Header.Values(idempotencyHeader)
	if len(values) == 0 {
		return "", false, nil
	}
	key = values[0]
	printable := strings.IndexFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) < 0
	if len(values) > 1 || key == "" || len(key) > maxIdempotencyKey || !printable {
		return "", false, fault.Invalid(idempotencyHeader, "must be given once, as 1 to %d printable ASCII characters", maxIdempotencyKey)
	}
	return key, true, nil
}

// fingerprint is a hash of the whole request.
func (c *call) fingerprint() ([]byte, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n", c.route.method, c.gin.Request.URL.RequestURI(), c.gin.GetHeader("Content-Type"))
	body, err := c.wholeBody()
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(h, body); err != nil {
		return nil, fmt.Errorf("reading a body again: %w", err)
	}
	return h.Sum(nil), nil
}

// wholeBody returns the body, which stays there for the handler: in memory, or a streamed one in a file.
func (c *call) wholeBody() (io.Reader, error) {
	if !c.streams() {
		body, err := c.body()
		return bytes.NewReader(body), err
	}
	file, err := os.CreateTemp("", "svc-body-*")
	if err != nil {
		return nil, fmt.Errorf("making room for a body: %w", err)
	}
	c.cleanup = append(c.cleanup, func() { _ = file.Close() }) // it has no name any more, and nothing to lose
	if err := os.Remove(file.Name()); err != nil {
		return nil, fmt.Errorf("making room for a body: %w", err)
	}
	r := c.gin.Request
	n, err := io.Copy(file, http.MaxBytesReader(c.gin.Writer, r.Body, streamLimit))
	if err != nil {
		return nil, bodyFault(err, streamLimit)
	}
	r.Body = io.NopCloser(io.NewSectionReader(file, 0, n))
	return io.NewSectionReader(file, 0, n), nil
}
