package e2e

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/bench/node"
)

// TestEdgesAndCoreRefuseAlike: on each of them, a wrong method names exactly those that the path takes, GET takes no body,
// heads have one limit, and the health of a node is asked for with GET and HEAD alone.
func TestEdgesAndCoreRefuseAlike(t *testing.T) {
	b := newBed(t, posts)
	b.until(func(ctx context.Context) error {
		_, err := node.Ask(ctx, b.nodes(), b.list("posts"))
		return err
	})
	project := "/v1/projects/" + b.project.Slug
	auth := "Authorization: Bearer " + b.account.Token + "\r\n"
	for _, c := range []struct {
		name, send string
		status     int
		allow      string // sorted
	}{
		{"a list", "PUT " + b.list("posts"), 405, "GET, HEAD, OPTIONS, POST"},
		{"an entry", "DELETE " + b.single("posts", "x"), 405, "GET, HEAD, OPTIONS"},
		{"collections", "POST " + project + "/collections", 405, "GET, HEAD, OPTIONS"},
		{"a singleton", "PATCH " + project + "/collections/posts/singleton", 405, "GET, HEAD, OPTIONS"},
		{"a project", "POST " + project, 405, "DELETE, GET, HEAD, PATCH"},
		{"change sets", "TRACE " + project + "/change-sets", 405, "GET, HEAD, POST"},
		{"a method no one knows", "BREW " + b.list("posts"), 405, "GET, HEAD, OPTIONS, POST"},
		{"health", "POST /healthz", 405, "GET, HEAD"},
		{"readiness", "OPTIONS /readyz", 405, "GET, HEAD"},
		{"the service", "OPTIONS *", 204, "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"},
		{"a path that is none", "BREW /nothing", 404, ""},
		{"metrics are not for everybody", "GET /metrics", 404, ""},
		{"a body of GET", "GET " + b.list("posts") + " HTTP/1.1\r\nContent-Length: 2", 400, ""},
		{"a body of GET of management", "GET " + project + "/change-sets HTTP/1.1\r\nContent-Length: 2", 400, ""},
		{"a body of HEAD", "HEAD " + project + " HTTP/1.1\r\nTransfer-Encoding: chunked", 400, ""},
		{"a head of 15 KiB", "GET " + project + "?x=" + strings.Repeat("x", 15<<10), 400, ""},
		{"a head of 17 KiB", "GET " + project + "?x=" + strings.Repeat("x", 17<<10), 431, ""},
		{"a head of 15 KiB in one header", "GET /healthz HTTP/1.1\r\nX: " + strings.Repeat("x", 15<<10), 200, ""},
		{"a head of 17 KiB in one header", "GET /healthz HTTP/1.1\r\nX: " + strings.Repeat("x", 17<<10), 431, ""},
		{"a head of 17 KiB in many headers", "GET /healthz HTTP/1.1\r\n" + strings.Repeat("X: y\r\n", 3000) + "Y: z", 431, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			part, send := b.on(t), c.send
			if !strings.Contains(send, " HTTP/1.1") {
				send += " HTTP/1.1"
			}
			send += "\r\nHost: a\r\n" + auth + "\r\n"
			for _, n := range part.nodes() {
				got := part.exchange(n, send)
				if len(got) == 0 {
					t.Errorf("%s: no answer", n.Name)
					continue
				}
				allow := strings.Split(got[0].Header.Get("Allow"), ", ")
				slices.Sort(allow)
				if got[0].StatusCode != c.status || strings.Join(allow, ", ") != c.allow {
					t.Errorf("%s: allow %s; want %d, %s: %s", n.Name, allow, c.status, c.allow, shown(got[0]))
				}
				if !strings.HasPrefix(send, "HEAD") { // which says nothing of why
					part.isOrdinary(fmt.Sprintf("%s on %s", c.name, n.Name), got[0])
				}
			}
		})
	}
}

// TestNoOneReachesWhatEdgesAskCore: an edge passes on what core answers to edges alone in no spelling.
func TestNoOneReachesWhatEdgesAskCore(t *testing.T) {
	b := newBed(t)
	for _, n := range b.edges() {
		b.noWayInside(n)
	}
}

// noWayInside asks an edge for what core answers to edges alone, in every spelling.
func (b *bed) noWayInside(n node.Node) {
	b.t.Helper()
	for _, target := range []string{
		"/internal/v1/logs", "//internal/v1/logs", "/./internal/v1/logs", "/x/../internal/v1/logs", "/%69nternal/v1/logs",
		"/%2finternal/v1/logs", "/x/%2e%2e/internal/v1/logs", "/x/..%2finternal/v1/logs", "/internal%2fv1/logs",
		"http://127.0.0.1/internal/v1/logs", "http://a//internal/v1/logs", "/internal;x/v1/logs", "/internal/../internal/v1/logs",
	} {
		got := b.exchange(n, "GET "+target+" HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "+b.account.Token+"\r\nConnection: close\r\n\r\n")
		if len(got) != 1 || got[0].StatusCode != http.StatusNotFound {
			b.t.Errorf("%s: %s: %s", n.Name, target, shown(got...))
			continue
		}
		b.isOrdinary(target, got[0])
	}
}

// exchange sends bytes and reads answers until the node hangs up.
func (b *bed) exchange(n node.Node, send string) (all []*http.Response) {
	b.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(n.URL, "http://"))
	b.check(err)
	defer conn.Close()
	b.check(conn.SetDeadline(time.Now().Add(patience)))
	// A node may refuse, and hang up, before it has read everything. One that waits for more gets an end instead.
	_, _ = io.WriteString(conn, send+"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	end := time.AfterFunc(2*time.Second, func() { _ = conn.(*net.TCPConn).CloseWrite() })
	defer end.Stop()
	in := bufio.NewReader(conn)
	method, _, _ := strings.Cut(send, " ")
	for {
		if _, err := in.Peek(1); err != nil {
			if !errors.Is(err, io.EOF) && !isReset(err) {
				b.t.Fatalf("after %d answers: %v", len(all), err)
			}
			return all
		}
		answer, err := http.ReadResponse(in, &http.Request{Method: method})
		b.check(err)
		method = http.MethodGet // of what follows
		if answer.StatusCode == http.StatusContinue {
			continue
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil && !isReset(err) {
			b.t.Fatal(err)
		}
		answer.Body = io.NopCloser(bytes.NewReader(body))
		all = append(all, answer)
	}
}

// shown is answers in short: their statuses, and how their bodies begin. Those can be read as before.
func shown(answers ...*http.Response) string {
	var parts []string
	for _, a := range answers {
		body, err := io.ReadAll(a.Body)
		if err != nil {
			body = []byte(err.Error())
		}
		a.Body = io.NopCloser(bytes.NewReader(body))
		parts = append(parts, fmt.Sprintf("status %d: %.300s", a.StatusCode, body))
	}
	return strings.Join(parts, "; ")
}

func isReset(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && strings.Contains(op.Err.Error(), "reset")
}

// isOrdinary checks that an answer is one of the service: with an id, and a problem where it refuses.
func (b *bed) isOrdinary(name string, answer *http.Response) {
	b.t.Helper()
	body, err := io.ReadAll(answer.Body)
	b.check(err)
	id := answer.Header.Get("Svc-Request-Id")
	switch {
	case len(id) != 32:
		b.t.Errorf("%s: an answer without an id: %d %v %s", name, answer.StatusCode, answer.Header, body)
	case answer.StatusCode < http.StatusBadRequest:
	case answer.Header.Get("Content-Type") != "application/problem+json" || !bytes.Contains(body, []byte(`"requestId":"`+id+`"`)):
		b.t.Errorf("%s: refused without a problem: %d %v %s", name, answer.StatusCode, answer.Header, body)
	case answer.StatusCode >= http.StatusInternalServerError:
		b.t.Errorf("%s: %d %s", name, answer.StatusCode, body)
	}
}
