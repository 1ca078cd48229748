package api_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"svc/core/api"
	"svc/core/postgres/postgrestest"
	"svc/core/preview/previewtest"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// TestReadScripts replays what every server of public reads must answer.
func TestReadScripts(t *testing.T) {
	t.Parallel()
	readtest.Replay(t, func(t *testing.T) readtest.Site {
		pool := postgrestest.Open(t)
		subject := previewtest.New(pool)
		cfg := config(pool, &logs{})
		cfg.Reader = &read.Engine{Store: subject.Store(), Keys: subject.Keys(), Now: time.Now, LocalOrigins: true}
		server := httptest.NewServer(api.New(cfg))
		t.Cleanup(server.Close)
		return readtest.HTTPSite(subject, server.URL)
	})
}

// TestReadsKeepTheConnection: answers without a body, and requests with one that no one asked for, leave the connection
// good for the next request.
func TestReadsKeepTheConnection(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const list = "/v1/projects/site/collections/posts/entries"
	set := b.call(b.owner, "POST", list, `{"data":{"title":"`+strings.Repeat("long ", 10)+`","body":"`+strings.Repeat("text ", 500)+`"}}`).at("data.changeSet.id")
	b.call(b.owner, "POST", sets+"/"+set+"/publish", `{"confirm":true}`).is(200)
	get := b.call("", "GET", list, "", "Accept-Encoding: identity").is(200)
	etag := get.header.Get("Etag")

	line := func(method, more string) string {
		return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\n%s\r\n", method, list, more)
	}
	got := exchange(t, b.url,
		line("HEAD", ""), line("OPTIONS", "Origin: http://localhost:3000\r\n"), line("GET", "If-None-Match: \"other\"\r\nIf-None-Match: "+etag+"\r\n"),
		line("HEAD", "Accept-Encoding: gzip\r\n"), line("PUT", "Content-Length: 2\r\n")+"{}",
		line("GET", "Svc-Min-Release: 9\r\n"), line("GET", "Connection: close\r\n"))
	var statuses []string
	for part := range strings.SplitSeq(got, "HTTP/1.1 ") {
		if part != "" {
			statuses = append(statuses, part[:3])
		}
	}
	if want := "200 204 304 200 405 503 200"; strings.Join(statuses, " ") != want {
		t.Errorf("got %v, want %s", statuses, want)
	}
	head, _, _ := strings.Cut(got, "HTTP/1.1 204")
	if want := fmt.Sprintf("Content-Length: %d\r\n", len(get.body)); !strings.Contains(head, want) || !strings.HasSuffix(head, "\r\n\r\n") {
		t.Errorf("HEAD tells the length of what GET sends, and sends nothing: %q", head)
	}
}
