// Package client is the typed Go client of the management API, used by the svc command, tests and benchmarks.
package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"svc/core/wire"
	"svc/shared/fault"
	"svc/shared/problem"
)

// Client calls one deployment with one credential. It is safe for concurrent use.
type Client struct {
	origin string
	token  string
	http   *http.Client
}

// New returns a client of the API at an origin such as https://api.example.com. An empty token calls without a
// credential; a nil http client means one with a timeout of two minutes.
func New(origin, token string, h *http.Client) *Client {
	if h == nil {
		h = &http.Client{Timeout: 2 * time.Minute}
	}
	return &Client{origin: strings.TrimRight(origin, "/"), token: token, http: h}
}

// call sends in, and decodes the answer into out, unless that is nil.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	_, err := c.exchange(ctx, method, path, nil, in, out)
	return err
}

// everywhere is call for a change of which it waits, at most as long as given in whole seconds, until every edge has it,
// and tells whether all reported so in time. A wait of less than a second does not wait.
func (c *Client) everywhere(ctx context.Context, method, path string, wait time.Duration, in, out any) (bool, error) {
	header := http.Header{}
	if seconds := int(wait / time.Second); seconds > 0 {
		header.Set("Prefer", fmt.Sprintf("wait=%d", seconds))
	}
	answer, err := c.exchange(ctx, method, path, header, in, out)
	return answer.Get("Preference-Applied") != "", err
}

// lines is a request body of JSON lines.
type lines struct{ io.Reader }

// exchange sends a request with in as its body, which is JSON unless it is lines, and returns the headers of the answer.
func (c *Client) exchange(ctx context.Context, method, path string, header http.Header, in, out any) (http.Header, error) {
	var body io.Reader
	contentType := "application/json"
	switch in := in.(type) {
	case nil:
	case lines:
		body, contentType = in.Reader, "application/x-ndjson"
	default:
		encoded, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("encoding a request: %w", err)
		}
		body = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.origin+path, body)
	if err != nil {
		return nil, fmt.Errorf("preparing a request: %w", err)
	}
	if header != nil {
		request.Header = header
	}
	if body != nil {
		request.Header.Set("Content-Type", contentType)
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, &NoAnswer{err}
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, &NoAnswer{err}
	}
	if response.StatusCode >= 400 {
		return nil, problemOf(response, answer)
	}
	if out == nil {
		return response.Header, nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		e := unexpected("the server answered %s %s with something else than the API does: %v", method, path, err)
		e.Status = response.StatusCode
		return nil, e
	}
	return response.Header, nil
}

func one[T any](ctx context.Context, c *Client, method, path string, in any) (T, error) {
	var out wire.Envelope[T]
	err := c.call(ctx, method, path, in, &out)
	return out.Data, err
}

func bare[T any](ctx context.Context, c *Client, method, path string, in any) (T, error) {
	var out T
	err := c.call(ctx, method, path, in, &out)
	return out, err
}

func projectPath(project string, rest ...string) string {
	path := "/v1/projects/" + url.PathEscape(project)
	for _, part := range rest {
		path += "/" + url.PathEscape(part)
	}
	return path
}

// Unexpected is the code of an Error where the answer was not one of the API's: no problem body, or no JSON.
const Unexpected fault.Code = "UNEXPECTED"

// Error is a problem that the API answered with.
type Error struct {
	problem.Document

	// RetryAfter is when to try again, where the service said so.
	RetryAfter time.Duration `json:"-"`
}

// NoAnswer is the failure of a request that got no answer, or a part of one.
type NoAnswer struct{ Err error }

func (e *NoAnswer) Error() string { return "no answer from the service: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *NoAnswer) Unwrap() error { return e.Err }

// Error writes the code, the detail and every finding.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Code, e.Detail)
	for _, i := range e.Errors {
		b.WriteString("\n  " + fault.Item{Path: i.Path, Message: i.Message, ResourceID: i.ResourceID}.String())
	}
	return b.String()
}

func problemOf(response *http.Response, body []byte) error {
	e := &Error{}
	if err := json.Unmarshal(body, e); err != nil || e.Code == "" {
		e = unexpected("the server answered %d without a problem body", response.StatusCode)
	}
	e.Status = response.StatusCode
	if seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 16); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}

func unexpected(format string, args ...any) *Error {
	return &Error{Document: problem.Document{Code: Unexpected, Detail: fmt.Sprintf(format, args...)}}
}

// Page is one page of a list; an empty NextCursor ends it.
type Page[T any] struct {
	Items      []T
	NextCursor string
}

func page[T any](ctx context.Context, c *Client, path string, query url.Values) (Page[T], error) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	var out wire.List[T]
	err := c.call(ctx, http.MethodGet, path, nil, &out)
	page := Page[T]{Items: out.Data}
	if next := out.Pagination.NextCursor; next != nil {
		page.NextCursor = *next
	}
	return page, err
}

// all follows a list to its end.
func all[T any](ctx context.Context, c *Client, path string, query url.Values) ([]T, error) {
	out, _, err := first[T](ctx, c, path, query, 0)
	return out, err
}

// maxPage is the most that one page of a list holds (interface, "Limits").
const maxPage = 100

// first follows a list until it has n items, and tells whether there are more; 0 takes all.
func first[T any](ctx context.Context, c *Client, path string, query url.Values, n int) (items []T, more bool, err error) {
	q := url.Values{}
	for k, v := range query {
		q[k] = v
	}
	for {
		limit := maxPage
		if n > 0 {
			limit = min(maxPage, n-len(items))
		}
		q.Set("limit", strconv.Itoa(limit))
		p, err := page[T](ctx, c, path, q)
		if err != nil {
			return nil, false, err
		}
		items = append(items, p.Items...)
		if p.NextCursor == "" || n > 0 && len(items) >= n {
			return items, p.NextCursor != "", nil
		}
		q.Set("cursor", p.NextCursor)
	}
}
