package demo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"svc/shared/fault"
)

// Target is a deployment to fill.
type Target struct {
	// URL is the root of a core or an edge, such as "http://127.0.0.1:7400".
	URL string
	// Organization that gets the project, by id or slug.
	Organization string
	// Token is an API key of that organization that may make projects, push schemas, write and publish content.
	Token string
	// HTTP sends the requests; nil is http.DefaultClient.
	HTTP *http.Client
}

// maxAnswer bounds what is read of one answer, in bytes.
const maxAnswer = 16 << 20

// call sends a JSON request below /v1, the path given in segments, and decodes the answer into out unless that is
// nil. A refusal is a *fault.Error with the service's code and detail.
func (t Target) call(ctx context.Context, method string, segments []string, query url.Values, in, out any) error {
	u, err := url.Parse(t.URL)
	if err != nil {
		return fmt.Errorf("the deployment's URL: %w", err)
	}
	if u.Path == "" {
		u.Path = "/"
	}
	u = u.JoinPath(append([]string{"v1"}, segments...)...)
	u.RawQuery = query.Encode()
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in, json.Deterministic(true))
		if err != nil {
			return fmt.Errorf("%s %s: encoding the body: %w", method, u.Path, err)
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+t.Token)
	req.Header.Set("Accept", "application/json")
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	answer, err := t.send(req)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, u.Path, err)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%s %s: decoding the answer: %w", method, u.Path, err)
	}
	return nil
}

func (t Target) send(req *http.Request) ([]byte, error) {
	client := t.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, refusal(resp.StatusCode, answer)
	}
	return answer, nil
}

// refusal makes a fault from a problem body, and from whatever a proxy in between has put there instead.
func refusal(status int, answer []byte) error {
	var p struct {
		Code   fault.Code `json:"code"`
		Detail string     `json:"detail"`
		Errors []struct {
			Path    string `json:"path"`
			Message string `json:"message"`
			Code    string `json:"code"`
		} `json:"errors"`
	}
	if err := json.Unmarshal(answer, &p); err != nil || p.Code == "" {
		const shown = 200
		return fmt.Errorf("status %d: %s", status, strings.ToValidUTF8(string(answer[:min(len(answer), shown)]), "�"))
	}
	f := &fault.Error{Code: p.Code, Detail: p.Detail}
	for _, e := range p.Errors {
		f.Items = append(f.Items, fault.Item{Path: e.Path, Message: e.Message, Code: e.Code})
		f.Detail += fmt.Sprintf("; %s %s", e.Path, e.Message)
	}
	return f
}
