package origin

import (
	"bufio"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

const plain = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

func TestThePathAndTheQueryArePassedOnToTheByte(t *testing.T) {
	r, heads := relayToScript(t, plain, Pace{})
	for _, target := range []string{
		"/", "/v1/projects/p", "/v1/projects/p%2fq/%2F", "/a//b", "/a/../b/./c", "/a/", "/%C3%A9", "/é", "/a|b", `/a"b`, "/a<b>",
		"/a^b`c", "/a\\b", "/a;b=c", "/a+b%20c", "/a?", "/a?b", "/a?b=%zz&&c=é|d", "/a?b?c", "/a?q=http://x/y", "/a:b@c", "/%41%5A",
	} {
		if got := r.send(t, get(target)); got.status != http.StatusOK || got.body != "ok" {
			t.Fatalf("%s: %d %s", target, got.status, got.body)
		}
		if line, _, _ := strings.Cut(<-heads, "\r\n"); line != "GET "+target+" HTTP/1.1" {
			t.Errorf("%s became %s", target, line)
		}
	}
}

func TestWhatIsNotPassedOn(t *testing.T) {
	r, heads := relayToScript(t, plain, Pace{})
	for target, status := range map[string]int{
		"/%zz": 400, "/%": 400, "/internal": 404, "/internal/v1/logs": 404, "/%69nternal/v1/logs": 404, "//internal/v1": 404,
		"/v1/../internal/v1/logs": 404, "/internal%2Fv1": 404, "/./internal/": 404,
	} {
		got := r.send(t, get(target))
		if got.status != status || !strings.Contains(got.head, "application/problem+json") {
			t.Errorf("%s: %d %s", target, got.status, got.body)
		}
	}
	select {
	case head := <-heads:
		t.Errorf("core saw %q", head)
	default:
	}
}

func TestAPathThatLooksLikeAHost(t *testing.T) {
	r, heads := relayToScript(t, plain, Pace{})
	r.send(t, get("//evil.example/v1?x"))
	line, _, _ := strings.Cut(<-heads, "\r\n")
	if line != "GET http://"+r.cores.Base().Host+"//evil.example/v1?x HTTP/1.1" {
		t.Error(line)
	}
}

func TestHeadersOfARequest(t *testing.T) {
	r, heads := relayToScript(t, plain, Pace{})
	r.send(t, get("/", "Connection: keep-alive, X-Hop,x-hop-2", "X-Hop: 1", "X-Hop-2: 2", "Keep-Alive: timeout=5", "TE: trailers",
		"Trailer: X-T", "Proxy-Connection: keep-alive", "Proxy-Authorization: Basic x", "Upgrade: h2c", "HTTP2-Settings: x",
		"x-forwarded-for: 1.2.3.4", "X-FORWARDED-FOR: 5.6.7.8", "X-Forwarded-Proto: https", "X-Forwarded-Host: evil.example",
		"X-Forwarded-Anything: x", "Forwarded: for=1.2.3.4", "X-Real-IP: 1.2.3.4", "Svc-Request-Id: mine",
		"Accept: text/html", "X-List: a", "X-List: b", "Cookie: a=1; b=2", "Authorization: Bearer x", "User-Agent: me"))
	got := strings.Split(strings.TrimSpace(<-heads), "\r\n")[1:]
	slices.Sort(got)
	want := []string{
		"Accept: text/html", "Authorization: Bearer x", "Cookie: a=1; b=2", "Host: " + r.cores.Base().Host, "Http2-Settings: x",
		"Svc-Request-Id: 0123456789abcdef0123456789abcdef", "User-Agent: me", "X-Forwarded-For: 203.0.113.7",
		"X-Forwarded-Host: edge.example", "X-List: a", "X-List: b",
	}
	if !slices.Equal(got, want) {
		t.Errorf("core saw\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestHeadersOfAnAnswer(t *testing.T) {
	r, _ := relayToScript(t, "HTTP/1.1 201 Created\r\nConnection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nUpgrade: h2c\r\n"+
		"Proxy-Authenticate: Basic\r\nTrailer: X-T\r\nLocation: /v1/x\r\nLink: <a>\r\nLink: <b>\r\nSet-Cookie: s=1; Path=/\r\n"+
		"Set-Cookie: s=2; Path=/a\r\nSet-Cookie: t=3\r\nSvc-Release: 7\r\nServer: core\r\nDate: Mon, 02 Jan 2006 15:04:05 GMT\r\nContent-Length: 2\r\n\r\nok", Pace{})
	got := r.send(t, get("/"))
	head := strings.Split(strings.TrimSpace(got.head), "\r\n")
	slices.Sort(head)
	want := []string{
		"Content-Length: 2", "Date: Mon, 02 Jan 2006 15:04:05 GMT", "HTTP/1.1 201 Created", "Link: <a>", "Link: <b>",
		"Location: /v1/x", "Server: core", "Set-Cookie: s=1; Path=/", "Set-Cookie: s=2; Path=/a", "Set-Cookie: t=3", "Svc-Release: 7",
	}
	// The date is the edge's own word.
	for i := range head {
		if strings.HasPrefix(head[i], "Date: ") {
			head[i] = want[1]
		}
	}
	if !slices.Equal(head, want) {
		t.Errorf("the caller saw\n%s\nwant\n%s", strings.Join(head, "\n"), strings.Join(want, "\n"))
	}
}

func TestChunksBothWays(t *testing.T) {
	r := relayToHandler(t, func(w http.ResponseWriter, req *http.Request) {
		if req.ContentLength != -1 || len(req.Trailer) != 0 {
			t.Errorf("length %d, trailers %v", req.ContentLength, req.Trailer)
		}
		if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		w.Header().Set("Trailer", "X-T")
		w.(http.Flusher).Flush()
		if _, err := io.Copy(w, req.Body); err != nil {
			t.Error(err)
		}
		w.Header().Set("X-T", "1")
	}, Pace{})
	body := strings.Repeat("0123456789", 5000)
	got := r.send(t, "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: X-U\r\n\r\n7\r\n<begin>\r\nc350\r\n"+body+"\r\n0\r\nX-U: 1\r\n\r\n")
	if got.body != "<begin>"+body || got.err != nil || strings.Contains(got.head, "Trailer") || !strings.Contains(got.head, "Transfer-Encoding: chunked") {
		t.Fatalf("%d bytes, %v\n%s", len(got.body), got.err, got.head)
	}
	until(t, "the exchange is over", r.isFree)
}

func TestAnswersWithoutABody(t *testing.T) {
	for _, c := range []struct{ name, request, script, has, hasNot string }{
		{"HEAD", "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 12345\r\nEtag: \"x\"\r\n\r\n", "Content-Length: 12345", "Transfer-Encoding"},
		{"HEAD of no one knows how much", "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 200", "Content-Length"},
		{"HEAD of nothing", "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "Content-Length: 0", "Transfer-Encoding"},
		{"304", get("/"), "HTTP/1.1 304 Not Modified\r\nEtag: \"x\"\r\n\r\n", "Etag: \"x\"", "Content-Length"},
		{"204", get("/"), "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 204", "Content-Length"},
		{"an empty 200", get("/"), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "Content-Length: 0", "Content-Type"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := relayToScript(t, c.script, Pace{})
			conn := r.dial(t)
			reader := bufio.NewReader(conn)
			for range 2 { // the second shows that the first has left nothing behind
				if _, err := io.WriteString(conn, c.request); err != nil {
					t.Fatal(err)
				}
				method, _, _ := strings.Cut(c.request, " ")
				got := receive(t, reader, method)
				if !strings.Contains(got.head, c.has) || strings.Contains(got.head, c.hasNot) || got.body != "" {
					t.Fatalf("%s%q", got.head, got.body)
				}
			}
		})
	}
}

func TestInterimAnswersAreDropped(t *testing.T) {
	r, _ := relayToScript(t, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n"+plain, Pace{})
	if got := r.send(t, get("/")); got.status != http.StatusOK || got.body != "ok" || strings.Contains(got.head, "Link") {
		t.Fatalf("%s%s", got.head, got.body)
	}
}

func TestNoOneSwitchesProtocols(t *testing.T) {
	r, heads := relayToScript(t, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", Pace{})
	got := r.send(t, get("/", "Connection: Upgrade", "Upgrade: websocket"))
	if got.status != http.StatusServiceUnavailable {
		t.Fatalf("%s%s", got.head, got.body)
	}
	if head := <-heads; strings.Contains(head, "pgrade") {
		t.Errorf("core saw %q", head)
	}
	until(t, "the exchange is over", r.isFree)
}

// Who asks whether to go on is told to at once; core is not asked.
func TestExpectContinue(t *testing.T) {
	r := relayToHandler(t, func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Expect") != "" {
			t.Error("core is asked too")
		}
		_, _ = io.Copy(w, req.Body)
	}, Pace{})
	conn := r.dial(t)
	if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	head, err := readHead(reader)
	if err != nil || !strings.HasPrefix(head, "HTTP/1.1 100") {
		t.Fatalf("%q, %v", head, err)
	}
	if _, err := io.WriteString(conn, "hello"); err != nil {
		t.Fatal(err)
	}
	if got := receive(t, reader, "POST"); got.status != http.StatusOK || got.body != "hello" {
		t.Fatalf("%s%s", got.head, got.body)
	}
}

func TestHTTP10GetsNoChunks(t *testing.T) {
	r := relayToHandler(t, func(w http.ResponseWriter, req *http.Request) {
		w.(http.Flusher).Flush()
		_, _ = io.WriteString(w, "streamed")
	}, Pace{})
	conn := r.dial(t)
	if _, err := io.WriteString(conn, "GET / HTTP/1.0\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(conn)
	if err != nil || strings.Contains(string(all), "chunked") || strings.Contains(string(all), "Content-Length") ||
		!strings.HasSuffix(string(all), "\r\n\r\nstreamed") {
		t.Fatalf("%q, %v", all, err)
	}
	until(t, "the exchange is over", r.isFree)
}

func TestRequestsOfOneConnectionStayApart(t *testing.T) {
	r := relayToHandler(t, func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path != "/unread" {
			_, _ = io.Copy(w, req.Body)
		}
		_, _ = io.WriteString(w, req.URL.Path)
	}, Pace{})
	conn := r.dial(t)
	reader := bufio.NewReader(conn)
	unread := strings.Repeat("GET /smuggled HTTP/1.1\r\n\r\n", 2000)
	for _, target := range []string{"/read", "/unread", "/read", "/unread", "/read"} {
		if _, err := io.WriteString(conn, "POST "+target+" HTTP/1.1\r\nHost: a\r\nContent-Length: 52000\r\n\r\n"+unread); err != nil {
			t.Fatal(err)
		}
		if got := receive(t, reader, "POST"); !strings.HasSuffix(got.body, target) || strings.HasPrefix(target, "/un") != (got.body == target) {
			t.Fatalf("%s got %d bytes, %.100q", target, len(got.body), got.body)
		}
	}
}

func TestCoreMustBeAnOrigin(t *testing.T) {
	for _, core := range []string{"", "core:7400", "ftp://core", "http://core/path", "http://core?x", "http://u:p@core", "http://", "http://core#f", ":", "http://core,", "http://core,core"} {
		if _, err := NewCores(core, 0); err == nil || !strings.Contains(err.Error(), "SVC_CORE_URL") {
			t.Errorf("%q: %v", core, err)
		}
	}
	for _, core := range []string{"http://core:7400", "https://core", "http://core/", "http://core, http://core-2"} {
		if _, err := NewCores(core, 0); err != nil {
			t.Error(err)
		}
	}
}
