package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"

	"svc/core/postgres"
	"svc/shared/fault"
)

const (
	idempotencyHeader = "Idempotency-Key"
	maxIdempotencyKey = 255 // characters
	// patience is how long a request waits for the answer of an equal one that took effect.
	patience = 25 * time.Second
	// storeTime is how long storing an answer may take.
	storeTime = 5 * time.Second
)

// once runs a mutating call. With an Idempotency-Key it takes effect at most once in 24 hours, and an equal request gets the
// first answer again (decisions 2.7). The key is inserted by the write's own transaction: it exists exactly if the write was
// committed, and a second transaction with the key waits for the first. From here on the call runs to its end, bounded by its
// own time alone, whether or not its caller is there.
func (c *call) once(run func() (reply, error)) (reply, error) {
	answers, given, err := c.answers()
	if err != nil {
		return reply{}, err
	}
	if !given {
		return run()
	}
	if first, err := answers.await(c.ctx(), c.server.patience); first != nil || err != nil {
		return deref(first), err
	}
	if !c.clock.detach() {
		return reply{}, c.gin.Request.Context().Err()
	}
	c.clock.give(c.server.times.of(c.route)) // waiting is no work
	c.work = postgres.Opening(c.work, answers.insert)
	answer, err := run()
	if errors.Is(err, errKeyUsed) {
		first, err := answers.await(c.ctx(), c.server.patience)
		return deref(first), err
	}
	if err == nil {
		answer, err = answer.fixed()
	}
	if err != nil {
		return reply{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx()), storeTime)
	defer cancel()
	if err := answers.store(ctx, answer); err != nil {
		c.server.Logger.Error("the answer to a request with an idempotency key was not stored", "requestId", requestID(c.gin), "error", err)
	}
	return answer, nil
}

// answeredBefore is for a call about something that does not exist: an equal call may have deleted it, whose answer is given
// again.
func (c *call) answeredBefore(missing error) (reply, error) {
	if !fault.Is(missing, fault.NotFound) || c.actor == nil || c.route.method == get {
		return reply{}, missing
	}
	if answers, given, err := c.answers(); err == nil && given {
		c.clock.give(c.server.times.write)
		if first, err := answers.await(c.ctx(), c.server.patience); first != nil || err != nil {
			return deref(first), err
		}
	}
	return reply{}, missing
}

// answers is what is stored for the call's key; false without one.
func (c *call) answers() (answers, bool, error) {
	key, given, err := c.idempotencyKey()
	if err != nil || !given {
		return answers{}, false, err
	}
	hash, err := c.fingerprint()
	return answers{
		pool: c.server.Pool, actor: c.actor.ID, key: key, hash: hash, claim: uuid.New(), secret: joined(c.gin.Request.Header, "Authorization"),
	}, true, err
}

// fixed is the reply with its body encoded, so that it is sent now as it will be sent again.
func (r reply) fixed() (reply, error) {
	body, err := r.encode()
	if err != nil {
		return reply{}, fmt.Errorf("encoding an answer: %w", err)
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
