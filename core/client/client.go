// Package client is the typed Go client of the management API, used by the svc command, tests and benchmarks.
package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"svc/core/wire"
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
		e := unexpected("the server answered %s %s with something else than the API does: %v", request.Method, request.URL.Path, err)
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
