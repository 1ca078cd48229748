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
)

// Unexpected is the code of an Error where the answer was not one of the API's: no problem body, or no JSON.
const Unexpected = "UNEXPECTED"

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

// Error is a problem that the API answered with.
type Error struct {
	Status       int      `json:"status"`
	Code         string   `json:"code"`
	Detail       string   `json:"detail"`
	RequestID    string   `json:"requestId"`
	Errors       []Issue  `json:"errors"`
	EntryIDs     []string `json:"entryIds"`
	ChangeSetIDs []string `json:"changeSetIds"`
	Fields       []string `json:"fields"`

	// RetryAfter is when to try again, where the service said so.
	RetryAfter time.Duration `json:"-"`
}

// Issue is one finding of a problem or of a validation.
type Issue struct {
	ResourceType string `json:"resourceType"`
	ResourceID   string `json:"resourceId"`
	Path         string `json:"path"`
	Message      string `json:"message"`
	Code         string `json:"code"`
}

// Error writes the code, the detail and every finding.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Code, e.Detail)
	for _, i := range e.Errors {
		b.WriteString("\n  ")
		if i.ResourceID != "" {
			b.WriteString(i.ResourceID + " ")
		}
		if i.Path != "" {
			b.WriteString(i.Path + ": ")
		}
		b.WriteString(i.Message)
	}
	return b.String()
}

// Page is one page of a list; an empty NextCursor ends it.
type Page[T any] struct {
	Items      []T
	NextCursor string
}

// data and list are the envelopes of the API.
type data[T any] struct {
	Data T `json:"data"`
}

type list[T any] struct {
	Data       []T `json:"data"`
	Pagination struct {
		NextCursor string `json:"nextCursor"`
	} `json:"pagination"`
}

// call sends in as JSON, unless it is nil, and decodes the answer into out, unless that is nil.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	body, err := encode(in)
	if err != nil {
		return err
	}
	return c.send(ctx, method, path, typeJSON, body, out)
}

// everywhere is call for a change of which it waits, at most as long as given in whole seconds, until every edge has it,
// and tells whether all reported so in time. A wait of less than a second does not wait.
func (c *Client) everywhere(ctx context.Context, method, path string, wait time.Duration, in, out any) (bool, error) {
	body, err := encode(in)
	if err != nil {
		return false, err
	}
	request, err := c.request(ctx, method, path, typeJSON, body)
	if err != nil {
		return false, err
	}
	if seconds := int(wait / time.Second); seconds > 0 {
		request.Header.Set("Prefer", fmt.Sprintf("wait=%d", seconds))
	}
	header, err := c.do(request, out)
	return header.Get("Preference-Applied") != "", err
}

const typeJSON = "application/json"

// encode is in as JSON; nil has no body.
func encode(in any) (io.Reader, error) {
	if in == nil {
		return nil, nil
	}
	encoded, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("encoding a request: %w", err)
	}
	return bytes.NewReader(encoded), nil
}

func (c *Client) send(ctx context.Context, method, path, contentType string, body io.Reader, out any) error {
	request, err := c.request(ctx, method, path, contentType, body)
	if err != nil {
		return err
	}
	_, err = c.do(request, out)
	return err
}

func (c *Client) request(ctx context.Context, method, path, contentType string, body io.Reader) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.origin+path, body)
	if err != nil {
		return nil, fmt.Errorf("preparing a request: %w", err)
	}
	if body != nil {
		request.Header.Set("Content-Type", contentType)
	}
	return request, nil
}

// do sends a request and decodes the answer into out, unless that is nil. It returns the answer's headers.
func (c *Client) do(request *http.Request, out any) (http.Header, error) {
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("calling %s: %w", c.origin, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("reading the answer of %s: %w", c.origin, err)
	}
	if response.StatusCode >= 400 {
		return nil, problemOf(response, answer)
	}
	if out == nil {
		return response.Header, nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return nil, &Error{Status: response.StatusCode, Code: Unexpected, Detail: fmt.Sprintf(
			"the server answered %s %s with something else than the API does: %v", request.Method, request.URL.Path, err)}
	}
	return response.Header, nil
}

func problemOf(response *http.Response, body []byte) error {
	e := &Error{}
	if err := json.Unmarshal(body, e); err != nil || e.Code == "" {
		e = &Error{Code: Unexpected, Detail: fmt.Sprintf("the server answered %d without a problem body", response.StatusCode)}
	}
	e.Status = response.StatusCode
	if seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 16); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}

func one[T any](ctx context.Context, c *Client, method, path string, in any) (T, error) {
	var out data[T]
	err := c.call(ctx, method, path, in, &out)
	return out.Data, err
}

func bare[T any](ctx context.Context, c *Client, method, path string, in any) (T, error) {
	var out T
	err := c.call(ctx, method, path, in, &out)
	return out, err
}

func page[T any](ctx context.Context, c *Client, path string, query url.Values) (Page[T], error) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	var out list[T]
	err := c.call(ctx, http.MethodGet, path, nil, &out)
	return Page[T]{out.Data, out.Pagination.NextCursor}, err
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

func projectPath(project string, rest ...string) string {
	path := "/v1/projects/" + url.PathEscape(project)
	for _, part := range rest {
		path += "/" + url.PathEscape(part)
	}
	return path
}
