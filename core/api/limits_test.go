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
	t.Parallel()
	b := newBed(t)
	for _, c := range []struct {
		name, path, body string
		refused          bool
	}{
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
	t.Parallel()
	b := newBed(t)
	api.SetRoom(b.api, 8<<20, 10*time.Millisecond)
	diff := func(size int) answer {
		return b.call(b.owner, "POST", "/v1/projects/site/schema/diff", `{"collections":[{"name":"a","fields":{},"guidance":"`+strings.Repeat("x", size)+`"}]}`)
	}
	diff(60_000).is(200)
	diff(400_000).is(200)
	diff(600_000).refused(fault.Unavailable)
}

// TestTheLargestEntriesComeBackWhole: what an entry of nearly the limit took in, it gives out.
func TestTheLargestEntriesComeBackWhole(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	large := padded(15 << 20)
	id := b.call(b.owner, "POST", entries, large).is(201).entry()
	_, extra, _ := strings.Cut(large, `"extra":`)
	if got := b.call(b.owner, "GET", "/v1/projects/site/entries/"+id, "").is(200); !strings.Contains(string(got.body), strings.TrimSuffix(extra, "}}")) {
		t.Error("the entry came back otherwise")
	}
}

// halfPage is a little more than half of the 4 MiB at which pages end.
const halfPage = 9 << 18

// TestPagesOfLargeThingsEndEarly: a page holds less than was asked for where that is large, and nothing is lost.
func TestPagesOfLargeThingsEndEarly(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	id := ""
	for range 3 {
		id = b.call(b.owner, "POST", entries, padded(halfPage)).is(201).entry()
	}
	entry := "/v1/projects/site/entries/" + id
	for range 2 {
		b.call(b.owner, "PATCH", entry, padded(halfPage)).is(200)
	}
	for path, kind := range map[string]string{"/v1/projects/site/entries": "ent_", entry + "/revisions": "rev_"} {
		if got := fmt.Sprint(b.pages(path, kind)); got != "[2 1]" {
			t.Errorf("%s comes in pages of %s", path, got)
		}
	}
}

// TestPublicPagesOfLargeEntriesEndEarly: those end at 4 MiB.
func TestPublicPagesOfLargeEntriesEndEarly(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	set := b.call(b.owner, "POST", sets, `{"title":"Large"}`).is(201).at("data.id")
	for range 3 {
		text := padded(halfPage)
		b.call(b.owner, "POST", entries, text[:len(text)-1]+`,"changeSetId":"`+set+`"}`).is(201)
	}
	b.call(b.owner, "POST", sets+"/"+set+"/publish", `{"confirm":true}`).is(200)
	if got := fmt.Sprint(b.pages(entries, "ent_")); got != "[2 1]" {
		t.Errorf("they come in pages of %s", got)
	}
}

// entry is the first id of an entry in the answer.
func (a answer) entry() string {
	a.Helper()
	_, id, found := strings.Cut(string(a.body), `"ent_`)
	if !found {
		a.Fatalf("%s names no entry: %.200s", a.what, a.body)
	}
	id, _, _ = strings.Cut(id, `"`)
	return "ent_" + id
}

// pages follows a list to its end, and returns how much was on each page; nothing may come twice. Rows are told by their
// ids, which begin so: parsing such pages takes long under the race detector.
func (b *bed) pages(path, kind string) (sizes []int) {
	b.Helper()
	seen := map[string]bool{}
	for cursor := ""; ; {
		body := string(b.call(b.owner, "GET", path+"?limit=100"+cursor, "").is(200).body)
		rows := strings.Split(body, `{"id":"`+kind)[1:]
		for _, row := range rows {
			id, _, _ := strings.Cut(row, `"`)
			if seen[id] {
				b.Errorf("%s has %s twice", path, id)
			}
			seen[id] = true
		}
		sizes = append(sizes, len(rows))
		_, next, _ := strings.Cut(body[strings.LastIndex(body, `"nextCursor":`):], ":")
		if strings.HasPrefix(next, "null") {
			return sizes
		}
		cursor = "&cursor=" + strings.Split(next, `"`)[1]
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
	t.Parallel()
	b := newBed(t)
	api.SetPace(b.api, 50*time.Millisecond, 1<<20)
	for _, contentType := range []string{"application/json", "application/x-ndjson"} {
		head := fmt.Sprintf("POST /v1/projects/site/collections/posts/import HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: %s\r\nContent-Length: 1000\r\n\r\n", b.owner, contentType)
		got := exchange(t, b.url, head+`{"entries":[`)
		if !strings.HasPrefix(got, "HTTP/1.1 400 ") || !strings.Contains(got, "too slowly") {
			t.Errorf("%s: %s", contentType, got)
		}
	}
}

func TestBodiesThatEndEarlyAreRefused(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	const toAnswer = time.Nanosecond // is over before the body has come
	b := newBed(t)
	server := httptest.NewUnstartedServer(b.api)
	server.Config.WriteTimeout = toAnswer
	server.Start()
	t.Cleanup(server.Close)
	b.url = server.URL
	reader, writer := io.Pipe()
	answered := b.later(b.owner, "POST", sets, reader)
	_, err := io.WriteString(writer, `{"title":"Late"}`)
	b.ok(errors.Join(err, writer.Close()))
	(<-answered).is(201)
}

// TestLargeBodiesWaitForRoom: what does not fit into memory beside the others waits, and is turned away in the end.
func TestLargeBodiesWaitForRoom(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	api.SetRoom(b.api, 20<<20, 20*time.Millisecond)
	reader, writer := io.Pipe()
	held := b.later(b.owner, "POST", entries, reader) // of a length that it does not tell
	_, err := io.WriteString(writer, `{"data":{"title":"Held"`)
	b.ok(err)
	eventually(t, "full", func() bool { return !api.HasRoom(b.api, 5<<20) })
	if a := b.call(b.owner, "POST", entries, padded(5<<20)).refused(fault.Unavailable); a.header.Get("Retry-After") == "" {
		t.Error("a 503 says when to try again")
	}
	b.call(b.owner, "POST", entries, `{"data":{"title":"Small ones pass"}}`).is(201)
	_, err = io.WriteString(writer, "}}")
	b.ok(err)
	b.ok(writer.Close())
	(<-held).is(201)
	eventually(t, "free", func() bool { return api.HasRoom(b.api, 5<<20) })
	b.call(b.owner, "POST", entries, padded(5<<20)).is(201)
}
