package e2e

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/bench/node"
)

// TestNothingIsSmuggled: a change that is hidden in a request, in any of the ways in which two readers of one connection
// have been made to disagree, is made neither by core nor through an edge; what is refused is refused with a problem; and
// what edges alone may ask core nobody else reaches.
func TestNothingIsSmuggled(t *testing.T) {
	b := newBed(t, posts)
	for _, n := range b.nodes() {
		t.Run(n.Name, func(t *testing.T) {
			part := b.on(t)
			for name, vector := range part.vectors(n.Name == "core") {
				for _, answer := range part.exchange(n, vector) {
					part.isOrdinary(name, answer)
				}
				if made := part.titles(); len(made) != 0 {
					t.Fatalf("%s: made %q", name, made)
				}
			}
			if n.Name != "core" {
				part.noWayInside(n)
			}
			// The hidden request is good for what it is not hidden in.
			if got := part.exchange(n, part.hidden("open")); len(got) != 2 || got[0].StatusCode != http.StatusCreated {
				t.Fatalf("%s: the change itself: %s", n.Name, shown(got...))
			}
			if made := part.titles(); len(made) != 1 || made[0] != "open" {
				t.Fatalf("the change itself made %q", made)
			}
			part.closeSets()
		})
	}
}

// hidden is a whole request that makes a change.
func (b *bed) hidden(title string) string {
	body := fmt.Sprintf(`{"title":%q}`, title)
	return fmt.Sprintf("POST /v1/projects/%s/change-sets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", b.project.Slug, b.account.Token, len(body), body)
}

// vectors are requests in which hidden is hidden. Those in which it is no part of the request for a reader that keeps to
// the standard are refused by edges, and only there: for core, which sees them from nobody but edges, it is a request of
// its own.
func (b *bed) vectors(core bool) map[string]string {
	hidden := b.hidden("smuggled")
	size := len(hidden)
	post := "POST /v1/projects/" + b.project.Slug + "/nothing HTTP/1.1\r\nHost: a\r\n"
	get := "GET " + b.list("posts") + " HTTP/1.1\r\nHost: a\r\n"
	chunk := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", size, hidden)
	length := fmt.Sprintf("Content-Length: %d\r\n", size)
	all := map[string]string{
		"a body":                           post + length + "\r\n" + hidden,
		"chunks":                           post + "Transfer-Encoding: chunked\r\n\r\n" + chunk,
		"a chunk after extensions":         post + "Transfer-Encoding: chunked\r\n\r\n" + strings.Replace(chunk, "\r\n", ";a=\"\r\"\r\n", 1),
		"a trailer":                        post + "Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n0\r\nX: y\r\n\r\n",
		"a body of GET":                    get + length + "\r\n" + hidden,
		"chunks of GET":                    get + "Transfer-Encoding: chunked\r\n\r\n" + chunk,
		"two lengths":                      post + "Content-Length: 0\r\n" + length + "\r\n" + hidden,
		"a length in a list":               post + fmt.Sprintf("Content-Length: %d, 0\r\n\r\n", size) + hidden,
		"a length with a sign":             post + fmt.Sprintf("Content-Length: +%d\r\n\r\n", size) + hidden,
		"a length in base 16":              post + fmt.Sprintf("Content-Length: 0x%x\r\n\r\n", size) + hidden,
		"a length after a space":           post + fmt.Sprintf("Content-Length : %d\r\n\r\n", size) + hidden,
		"a length that a hop drops":        post + "Connection: Content-Length\r\n" + length + "\r\n" + hidden,
		"a coding that a hop drops":        post + "Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk,
		"a coding nobody knows":            post + "Transfer-Encoding: xchunked\r\n" + "\r\n" + chunk,
		"a coding after a tab":             post + "Transfer-Encoding:\x0bchunked\r\n\r\n" + chunk,
		"two codings":                      post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + chunk,
		"a folded coding":                  post + "Transfer-Encoding:\r\n\tidentity\r\n\r\n" + chunk,
		"a size beyond numbers":            post + "Transfer-Encoding: chunked\r\n\r\n" + "10000000000000000" + chunk,
		"a size with a prefix":             post + "Transfer-Encoding: chunked\r\n\r\n0x" + chunk,
		"a header value":                   strings.Replace(get, "Host: a", "Host: a\r\nX: y\x00", 1) + "\r\n" + hidden,
		"a target":                         "GET /" + strings.ReplaceAll(hidden, "\r\n", "%0d%0a") + " HTTP/1.1\r\nHost: a\r\n\r\n",
		"an upgrade to HTTP/2":             get + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
		"an upgrade to a socket":           get + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n\r\n",
		"an expectation":                   post + "Expect: 100-continue\r\n" + length + "\r\n" + hidden,
		"an expectation that is none":      post + "Expect: nothing\r\n" + length + "\r\n" + hidden,
		"a method with a body":             "TRACE /v1/meta HTTP/1.1\r\nHost: a\r\n" + length + "\r\n" + hidden,
		"another host":                     strings.Replace(get, "Host: a", "Host: a\r\nHost: b", 1) + "\r\n" + hidden,
		"an older version":                 strings.Replace(post, "HTTP/1.1", "HTTP/1.0", 1) + length + "\r\n" + hidden,
		"a version that is none":           strings.Replace(get, "HTTP/1.1", "HTTP/1.9", 1) + length + "\r\n" + hidden,
		"the preface of HTTP/2":            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + hidden,
		"a head that never ends":           get + "X: " + strings.Repeat("x", 64<<10),
		"a head of many lines":             get + strings.Repeat("X: y\r\n", 10_000) + "\r\n",
		"a body that ends early":           post + fmt.Sprintf("Content-Length: %d\r\n\r\n", size+100) + hidden,
		"what is said to be forwarded":     post + "X-Forwarded-For: 127.0.0.1\r\nForwarded: for=127.0.0.1\r\n" + length + "\r\n" + hidden,
		"a key that a hop drops":           strings.Replace(hidden, "Host: a", "Host: a\r\nConnection: Authorization", 1),
		"a key in a second line":           strings.Replace(hidden, "Authorization: ", "Authorization: Bearer x\r\nAuthorization: ", 1),
		"a key in a folded line":           strings.Replace(hidden, "Authorization: Bearer ", "Authorization:\r\n Bearer\r\n ", 1),
		"a key with a space in its header": strings.Replace(hidden, "Authorization:", "Authorization :", 1),
	}
	if core {
		// It is asked by nobody else's leave, and hops are its own business.
		delete(all, "a key that a hop drops")
		delete(all, "a key in a folded line")
		delete(all, "a folded coding")
	} else {
		for name, send := range map[string]string{
			"a length and a coding":      post + length + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
			"a coding and a length":      post + "Transfer-Encoding: chunked\r\n" + length + "\r\n0\r\n\r\n" + hidden,
			"a line that ends early":     post + "X: y\nContent-Length: 0\r\n" + "\r\n" + hidden,
			"a coding of HTTP/1.0":       strings.Replace(post, "HTTP/1.1", "HTTP/1.0", 1) + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
			"a head that ends in LF":     "GET /v1/meta HTTP/1.1\r\nHost: a\r\n\n" + hidden,
			"a pipeline after a bad GET": get + "Content-Length: 1\r\n\r\nx" + hidden,
		} {
			all[name] = send
		}
	}
	return all
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

// titles are those of the open change sets.
func (b *bed) titles() (titles []string) {
	b.t.Helper()
	sets, err := b.api.ChangeSets(b.t.Context(), b.project.Slug, "open")
	b.check(err)
	for _, set := range sets {
		titles = append(titles, set.Title)
	}
	return titles
}

func (b *bed) closeSets() {
	b.t.Helper()
	sets, err := b.api.ChangeSets(b.t.Context(), b.project.Slug, "open")
	b.check(err)
	for _, set := range sets {
		_, err := b.api.Close(b.t.Context(), b.project.Slug, set.ID)
		b.check(err)
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
