package follow

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/replication/snapshot"
	"svc/shared/fault"
)

const (
	headHeader   = "svc-head"
	answerIn     = 15 * time.Second
	snapshotIn   = 30 * time.Second // core writes it meanwhile
	stalledAfter = 20 * time.Second // nothing comes any more
	maxJSON      = 256 << 20        // heads of a million logs
	maxErrorBody = 64 << 10
)

// CoreClient asks core's internal routes.
type CoreClient struct {
	base   string
	secret string
	http   *http.Client
}

// NewCoreClient returns a client of the core at a base address, "http://host:port", which lets in those who show the
// cluster's secret.
func NewCoreClient(base, secret string) *CoreClient {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	transport.ResponseHeaderTimeout = snapshotIn
	return NewCoreClientVia(transport, base, secret)
}

// NewCoreClientVia is NewCoreClient with requests carried by somebody who may know several cores.
func NewCoreClientVia(via http.RoundTripper, base, secret string) *CoreClient {
	return &CoreClient{base: strings.TrimSuffix(base, "/") + "/internal/v1/logs", secret: secret, http: &http.Client{Transport: via}}
}

// Close lets idle connections go.
func (c *CoreClient) Close() { c.http.CloseIdleConnections() }

// Heads implements Core.
func (c *CoreClient) Heads(ctx context.Context) ([]record.Head, error) {
	ctx, cancel := context.WithTimeout(ctx, answerIn)
	defer cancel()
	var answer struct {
		Logs []struct {
			Log      string `json:"log"`
			Position string `json:"position"`
		} `json:"logs"`
	}
	if err := c.ask(ctx, http.MethodGet, "", &answer); err != nil {
		return nil, fmt.Errorf("ask core for heads: %w", err)
	}
	heads := make([]record.Head, len(answer.Logs))
	for i, l := range answer.Logs {
		at, err := record.ParsePosition(l.Position)
		if err != nil {
			return nil, fmt.Errorf("ask core for heads: %w", err)
		}
		heads[i] = record.Head{Log: l.Log, Position: at}
	}
	return heads, nil
}

// Changes implements Core.
func (c *CoreClient) Changes(ctx context.Context, log string, after record.Position, newest record.Stamp, take func([]byte) error) (head record.Position, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watch := time.AfterFunc(snapshotIn, cancel)
	defer watch.Stop()
	answer, err := c.send(ctx, http.MethodGet, "/"+url.PathEscape(log)+"/changes?after="+after.String()+"&newest="+newest.String())
	if err != nil {
		return head, fmt.Errorf("ask core for changes of %s: %w", log, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusConflict {
		return head, ErrUnserved
	}
	if answer.StatusCode != http.StatusOK {
		return head, fmt.Errorf("ask core for changes of %s: %w", log, refusal(answer))
	}
	if head, err = record.ParsePosition(answer.Header.Get(headHeader)); err != nil {
		return head, fmt.Errorf("ask core for changes of %s: %w", log, err)
	}
	frames := bufio.NewReaderSize(&watchedReader{answer.Body, watch}, 64<<10)
	for {
		envelope, err := record.ReadFrame(frames)
		watch.Stop() // what take does may last
		if errors.Is(err, io.EOF) {
			return head, nil
		}
		if err != nil {
			return head, fmt.Errorf("read changes of %s from core: %w", log, err)
		}
		if err := take(envelope); err != nil {
			return head, err
		}
	}
}

// Snapshot implements Core.
func (c *CoreClient) Snapshot(ctx context.Context, log string, beyond record.Position) (snapshot.Ref, error) {
	ctx, cancel := context.WithTimeout(ctx, snapshotIn)
	defer cancel()
	var answer struct {
		Position string `json:"position"`
		Object   string `json:"object"`
		SHA256   []byte `json:"sha256"`
		Size     uint64 `json:"size"`
	}
	if err := c.ask(ctx, http.MethodPost, "/"+url.PathEscape(log)+"/snapshot?beyond="+beyond.String(), &answer); err != nil {
		return snapshot.Ref{}, fmt.Errorf("ask core for a snapshot of %s: %w", log, err)
	}
	at, err := record.ParsePosition(answer.Position)
	if err != nil {
		return snapshot.Ref{}, fmt.Errorf("ask core for a snapshot of %s: %w", log, err)
	}
	return snapshot.Ref{Log: log, Position: at, Manifest: &recordpb.Part{Key: answer.Object, Sha256: answer.SHA256, Size: answer.Size}}, nil
}

func (c *CoreClient) send(ctx context.Context, method, path string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.secret)
	return c.http.Do(request)
}

func (c *CoreClient) ask(ctx context.Context, method, path string, to any) error {
	answer, err := c.send(ctx, method, path)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return refusal(answer)
	}
	return json.UnmarshalRead(io.LimitReader(answer.Body, maxJSON), to)
}

// refusal reads a problem body as the fault it stands for.
func refusal(answer *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxErrorBody))
	if err != nil {
		return fmt.Errorf("core answered %s: %w", answer.Status, err)
	}
	var problem struct {
		Code   fault.Code `json:"code"`
		Detail string     `json:"detail"`
	}
	if err := json.Unmarshal(body, &problem); err != nil || problem.Code == "" {
		return fmt.Errorf("core answered %s: %.200q", answer.Status, body)
	}
	return fault.New(problem.Code, "core answered: %s", problem.Detail)
}

// watchedReader winds the watch up again with every read.
type watchedReader struct {
	from  io.Reader
	watch *time.Timer
}

func (r *watchedReader) Read(p []byte) (int, error) {
	r.watch.Reset(stalledAfter)
	return r.from.Read(p)
}

// Core is what a follower asks core for. CoreClient asks over HTTP.
type Core interface {
	// Heads returns the newest position of every log.
	Heads(ctx context.Context) ([]record.Head, error)
	// Changes gives take the envelopes behind a position of a log, in order, as many as one answer has, and returns
	// the log's newest position. ErrUnserved where core cannot go on from there, NOT_FOUND where there is no such log;
	// an error of take ends it. Newest is the newest release that the asker holds, for a core that lost it.
	Changes(ctx context.Context, log string, after record.Position, newest record.Stamp, take func(envelope []byte) error) (head record.Position, err error)
	// Snapshot returns a snapshot of a log beyond a position; core writes one where there is none. CONFLICT where the
	// log is not beyond the position either, UNAVAILABLE where it is not ready yet.
	Snapshot(ctx context.Context, log string, beyond record.Position) (snapshot.Ref, error)
}

// ErrUnserved says that core was never at a position, or no longer has the changes behind it: only a snapshot helps.
var ErrUnserved = errors.New("core cannot continue the log from this position")
