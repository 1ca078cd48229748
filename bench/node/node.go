// Package node reads from the nodes of a deployment, core and edges alike, through their public reads, and compares what
// they answer byte by byte.
package node

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Node is a core or an edge.
type Node struct {
	Name string
	// URL is its origin, such as "http://127.0.0.1:7401".
	URL string
	// Token is the API key that its reads carry; none when empty.
	Token string
}

// transport keeps connections open and asks for no coding of its own accord.
var transport = &http.Client{
	Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true, IdleConnTimeout: 30 * time.Second},
	Timeout:   time.Minute,
	// Answers are looked at as they are.
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Header is a request header.
type Header struct{ Name, Value string }

// Get reads a path, which may have a query.
func (n Node) Get(ctx context.Context, path string, headers ...Header) (Answer, error) {
	return n.Send(ctx, http.MethodGet, path, nil, headers...)
}

// Send sends any request.
func (n Node) Send(ctx context.Context, method, path string, body io.Reader, headers ...Header) (Answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, n.URL+path, body)
	if err != nil {
		return Answer{}, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if n.Token != "" {
		request.Header.Set("Authorization", "Bearer "+n.Token)
	}
	for _, h := range headers {
		request.Header.Set(h.Name, h.Value)
	}
	response, err := transport.Do(request)
	if err != nil {
		return Answer{}, fmt.Errorf("%s: %w", n.Name, err)
	}
	defer response.Body.Close()
	answer := Answer{Node: n.Name, Path: path, Status: response.StatusCode, Header: response.Header}
	if answer.Body, err = io.ReadAll(response.Body); err != nil {
		return Answer{}, fmt.Errorf("%s: reading the answer to %s %s: %w", n.Name, method, path, err)
	}
	if text := response.Header.Get("Svc-Release"); text != "" {
		if answer.Release, err = strconv.ParseUint(text, 10, 64); err != nil {
			return Answer{}, fmt.Errorf("%s: svc-release %q of %s: %w", n.Name, text, path, err)
		}
	}
	return answer, nil
}

// List is the path of a collection's list, Single that of one of its entries.
func List(project, collection string) string {
	return "/v1/projects/" + project + "/collections/" + collection + "/entries"
}

// Single is the path of an entry by its slug or id.
func Single(project, collection, ref string) string { return List(project, collection) + "/" + ref }
