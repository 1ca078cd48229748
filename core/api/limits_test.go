package api_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"svc/core/api"
	"svc/shared/fault"
)

const entries = "/v1/projects/site/collections/posts/entries"

// padded is an entry whose body has about n bytes.
func padded(n int) string {
	return `{"data":{"title":"Big","extra":["` + strings.Repeat("x", n-50) + `"]}}`
}

// TestBodiesHaveTheirLimits: 16 MiB for entries and imports, 1 MiB for everything else. A body beyond is answered,
// whether it says its length or not.
func TestBodiesHaveTheirLimits(t *testing.T) {
	b := newBed(t)
	for _, c := range []struct {
		name, path, body string
		refused          bool
	}{
		{"an entry of 15 MiB", entries, padded(15 << 20), false},
		{"an entry of 20 MB", entries, padded(20_000_000), true},
		{"an import of 20 MB", "/v1/projects/site/collections/posts/import", `{"entries":[` + padded(20_000_000) + `]}`, true},
		{"a set of 1 MB", sets, `{"title":"x","description":"` + strings.Repeat("d", 1_000_000) + `"}`, false},
		{"a set of 2 MiB", sets, `{"title":"x","description":"` + strings.Repeat("d", 2<<20) + `"}`, true},
		{"schemas of 1 MB", "/v1/projects/site/schema/push", `{"collections":[],"summary":"` + strings.Repeat("d", 1_000_000) + `"}`, false},
		{"schemas of 2 MiB", "/v1/projects/site/schema/push", `{"collections":[],"summary":"` + strings.Repeat("d", 2<<20) + `"}`, true},
		{"schemas of 2 MiB to compare", "/v1/projects/site/schema/diff", `{"collections":["` + strings.Repeat("d", 2<<20) + `"]}`, true},
		{"a needless body", sets + "/x/validate", `{"a":"` + strings.Repeat("d", 2<<20) + `"}`, true},
	} {
		for kind, body := range map[string]io.Reader{
			"with its length": strings.NewReader(c.body), "chunked": struct{ io.Reader }{strings.NewReader(c.body)},
		} {
			t.Run(c.name+" "+kind, func(t *testing.T) {
				a := b.in(t).send(b.owner, "POST", c.path, body)
				switch {
				case c.refused:
					a.refused(fault.PayloadTooLarge)
				case a.status == http.StatusRequestEntityTooLarge:
					t.Errorf("%s", a.body)
				}
			})
		}
	}
}

// TestSchemasTakeTurns: far more is made of a set of schemas than of other bodies, so a few large ones at a time are enough.
func TestSchemasTakeTurns(t *testing.T) {
	b := newBed(t)
	api.SetRoom(b.api, 8<<20, 10*time.Millisecond)
	diff := func(size int) answer {
		return b.call(b.owner, "POST", "/v1/projects/site/schema/diff", `{"collections":[{"name":"a","fields":{},"guidance":"`+strings.Repeat("x", size)+`"}]}`)
	}
	diff(60_000).is(200)
	diff(400_000).is(200)
	diff(600_000).refused(fault.Unavailable)
}

// TestLargeBodiesComeBackWhole: what an entry took in, it gives out.
func TestLargeBodiesComeBackWhole(t *testing.T) {
	b := newBed(t)
	a := b.call(b.owner, "POST", entries, padded(12<<20)).is(201)
	if got := b.call(b.owner, "GET", "/v1/projects/site/entries/"+a.at("data.entry.id"), "").is(200); len(got.at("data.draft.fields.extra.0")) < 12<<20-100 {
		t.Error("the entry came back shorter")
	}
}

// TestPagesOfLargeThingsEndEarly: a page holds less than was asked for where that is large, and nothing is lost.
func TestPagesOfLargeThingsEndEarly(t *testing.T) {
	b := newBed(t)
	id := ""
	for range 4 {
		id = b.call(b.owner, "POST", entries, padded(3<<20)).is(201).at("data.entry.id")
	}
	entry := "/v1/projects/site/entries/" + id
	for range 3 {
		b.call(b.owner, "PATCH", entry, padded(3<<20)).is(200)
	}
	for _, path := range []string{"/v1/projects/site/entries", entry + "/revisions"} {
		if got := fmt.Sprint(b.pages(path)); got != "[2 2]" {
			t.Errorf("%s comes in pages of %s", path, got)
		}
	}
}

// TestPublicPagesOfLargeEntriesEndEarly: those end at 4 MiB.
func TestPublicPagesOfLargeEntriesEndEarly(t *testing.T) {
	b := newBed(t)
	set := b.call(b.owner, "POST", sets, `{"title":"Large"}`).is(201).at("data.id")
	for range 5 {
		text := padded(3 << 20)
		b.call(b.owner, "POST", entries, text[:len(text)-1]+`,"changeSetId":"`+set+`"}`).is(201)
	}
	b.call(b.owner, "POST", sets+"/"+set+"/publish", `{"confirm":true}`).is(200)
	if got := fmt.Sprint(b.pages(entries)); got != "[2 2 1]" {
		t.Errorf("they come in pages of %s", got)
	}
}

// pages follows a list to its end, and returns how much was on each page; nothing may come twice.
func (b *bed) pages(path string) (sizes []int) {
	b.Helper()
	seen := map[string]bool{}
	for cursor := ""; ; {
		var page struct {
			Data       []struct{ ID string }
			Pagination struct{ NextCursor *string }
		}
		a := b.call(b.owner, "GET", path+"?limit=100"+cursor, "").is(200)
		b.ok(json.Unmarshal(a.body, &page, json.MatchCaseInsensitiveNames(true)))
		for _, row := range page.Data {
			if seen[row.ID] {
				b.Errorf("%s has %s twice", path, row.ID)
			}
			seen[row.ID] = true
		}
		if sizes = append(sizes, len(page.Data)); page.Pagination.NextCursor == nil {
			return sizes
		}
		cursor = "&cursor=" + *page.Pagination.NextCursor
	}
}

// exchange sends raw bytes and returns what comes back until the server closes the connection.
func exchange(t *testing.T, url string, send ...string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	for _, part := range send {
		if _, err := io.WriteString(conn, part); err != nil {
			t.Fatal(err)
		}
	}
	got, err := io.ReadAll(bufio.NewReader(conn))
	if err != nil {
		t.Fatalf("%v after %q", err, got)
	}
	return string(got)
}

// TestSlowBodiesAreCutOff: who sends too slowly is answered, and loses the connection.
func TestSlowBodiesAreCutOff(t *testing.T) {
	b := newBed(t)
	api.SetPace(b.api, 50*time.Millisecond, 1<<20)
	for _, contentType := range []string{"application/json", "application/x-ndjson"} {
		head := fmt.Sprintf("POST /v1/projects/site/collections/posts/import HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: %s\r\nContent-Length: 1000\r\n\r\n", b.owner, contentType)
		got := exchange(t, b.url, head, `{"entries":[`)
		if !strings.HasPrefix(got, "HTTP/1.1 400 ") || !strings.Contains(got, "too slowly") {
			t.Errorf("%s: %s", contentType, got)
		}
	}
}

func TestBodiesThatEndEarlyAreRefused(t *testing.T) {
	b := newBed(t)
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
	b.ok(err)
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{}", sets, b.owner)
	b.ok(conn.(*net.TCPConn).CloseWrite())
	got, err := io.ReadAll(conn)
	b.ok(err)
	if !strings.Contains(string(got), "VALIDATION_FAILED") || !strings.Contains(string(got), "ended before its declared length") {
		t.Errorf("%s", got)
	}
}

// TestAnswersHaveTimeOfTheirOwn: a body that took longer than the server gives answers leaves the answer its time.
func TestAnswersHaveTimeOfTheirOwn(t *testing.T) {
	const toAnswer = 50 * time.Millisecond
	b := newBed(t)
	server := httptest.NewUnstartedServer(b.api)
	server.Config.WriteTimeout = toAnswer
	server.Start()
	t.Cleanup(server.Close)
	b.url = server.URL
	reader, writer := io.Pipe()
	answered := b.later(b.owner, "POST", sets, reader)
	_, err := io.WriteString(writer, `{"title":`)
	b.ok(err)
	<-time.After(3 * toAnswer)
	_, err = io.WriteString(writer, `"Late"}`)
	b.ok(errors.Join(err, writer.Close()))
	(<-answered).is(201)
}

// TestLargeBodiesWaitForRoom: what does not fit into memory beside the others waits, and is turned away in the end.
func TestLargeBodiesWaitForRoom(t *testing.T) {
	b := newBed(t)
	api.SetRoom(b.api, 20<<20, 20*time.Millisecond)
	reader, writer := io.Pipe()
	held := b.later(b.owner, "POST", entries, reader) // of a length that it does not tell
	_, err := io.WriteString(writer, `{"data":{"title":"Held"`)
	b.ok(err)
	eventually(t, "full", func() bool { return !api.HasRoom(b.api, 12<<20) })
	if a := b.call(b.owner, "POST", entries, padded(12<<20)).refused(fault.Unavailable); a.header.Get("Retry-After") == "" {
		t.Error("a 503 says when to try again")
	}
	b.call(b.owner, "POST", entries, `{"data":{"title":"Small ones pass"}}`).is(201)
	_, err = io.WriteString(writer, "}}")
	b.ok(err)
	b.ok(writer.Close())
	(<-held).is(201)
	eventually(t, "free", func() bool { return api.HasRoom(b.api, 12<<20) })
	b.call(b.owner, "POST", entries, padded(12<<20)).is(201)
}
