package api_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/core/api"
)

// early lists requests, of strangers too, that are answered before their bodies are wanted.
func early(owner string) map[string]string {
	key := "Authorization: Bearer " + owner + "\r\n"
	return map[string]string{
		"401 POST " + sets:                              "",
		"401 PATCH /v1/projects/site/entries/x":         "Authorization: Bearer svc_sk_abcdefgh_x\r\n",
		"404 POST /nowhere":                             "",
		"404 POST /v1/projects/none/change-sets":        key + "Content-Type: application/json\r\n",
		"405 PUT " + sets:                               key,
		"405 POST /healthz":                             "",
		"415 POST " + sets:                              key + "Content-Type: text/plain\r\n",
		"431 POST /v1/projects/site/change-sets?long=x": key + "X: " + strings.Repeat("x", 17<<10) + "\r\n",
	}
}

// TestAnswersDoNotWaitForUnwantedBodies: a caller who is refused before the body counts is told at once, with the end of the
// connection, and what comes later is no request, however late.
func TestAnswersDoNotWaitForUnwantedBodies(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for what, headers := range early(b.owner) {
		for kind, body := range map[string]string{
			"a length": "Content-Length: 1000\r\n\r\nx", "chunks": "Transfer-Encoding: chunked\r\n\r\n5\r\nx",
			"an expectation": "Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n",
		} {
			if kind == "chunks" && strings.HasPrefix(what, "415") {
				continue // they may turn out to be none, which has no type
			}
			t.Run(what+" "+kind, func(t *testing.T) {
				t.Parallel()
				status, target, _ := strings.Cut(what, " ")
				conn, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				_ = conn.SetDeadline(time.Now().Add(20 * time.Second)) // before any body is given up
				fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: x\r\n%s%s", target, headers, body)
				in := bufio.NewReader(conn)
				answer, err := http.ReadResponse(in, nil)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.ReadAll(answer.Body); err != nil || fmt.Sprint(answer.StatusCode) != status || !answer.Close {
					t.Fatalf("%d, close %v, %v; want %s and the end of the connection", answer.StatusCode, answer.Close, err, status)
				}
			})
		}
	}
}

// TestTheRestOfABodyIsNoRequest: not even after the server has lost patience with it.
func TestTheRestOfABodyIsNoRequest(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	api.SetPace(b.api, 200*time.Millisecond, 1<<20)
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
	b.ok(err)
	defer conn.Close()
	b.ok(conn.SetDeadline(time.Now().Add(30 * time.Second)))
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\nx", sets, b.owner)
	got, err := io.ReadAll(conn) // ends with the connection
	b.ok(err)
	if !strings.HasPrefix(string(got), "HTTP/1.1 415 ") || strings.Count(string(got), "HTTP/1.1 ") != 1 {
		t.Errorf("%s", got)
	}
}

// TestHonestCallersReadTheirAnswer: who sends all of a body that no one wants before looking for the answer finds it; a
// short body leaves the connection as it was.
func TestHonestCallersReadTheirAnswer(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for what, headers := range early(b.owner) {
		for _, size := range []int{100, 2 << 20} {
			t.Run(fmt.Sprint(what, " ", size), func(t *testing.T) {
				status, target, _ := strings.Cut(what, " ")
				conn, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
				send := fmt.Sprintf("%s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s", target, headers, size, strings.Repeat("x", size))
				if _, err := io.WriteString(conn, send); err != nil {
					t.Fatal(err)
				}
				answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatal(err)
				}
				ends := size > 1<<20 || status == "431"
				if _, err := io.ReadAll(answer.Body); err != nil || fmt.Sprint(answer.StatusCode) != status || answer.Close != ends {
					t.Errorf("%d, close %v, %v; want %s, close %v", answer.StatusCode, answer.Close, err, status, ends)
				}
			})
		}
	}
}

// TestAChunkedBodyEndsItsConnection: a length beside the chunks cannot be seen, and must not be acted on by anybody.
func TestAChunkedBodyEndsItsConnection(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	got := exchange(t, b.url, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", sets, b.owner))
	if strings.Count(got, "HTTP/1.1 ") != 1 || !strings.Contains(got, "\r\nConnection: close\r\n") {
		t.Error(got)
	}
}
