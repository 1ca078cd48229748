package origin

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/deploy/local/localtest"
)

// counting is a core that counts requests and says its name.
func counting(t *testing.T, name string) (origin string, asked *atomic.Int32) {
	asked = &atomic.Int32{}
	core := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // it never was a request
		}
		io.WriteString(w, name+" "+r.Method+" "+r.RequestURI+" "+string(body))
	}))
	t.Cleanup(core.Close)
	return core.URL, asked
}

// absent is an origin where no one listens, at an address that stays free.
func absent(t *testing.T) string {
	l := localtest.Listen(t, "")
	defer l.Close()
	return "http://" + l.Addr().String()
}

// rude is an origin that takes a request and hangs up.
func rude(t *testing.T) (origin string, asked *atomic.Int32) {
	asked = &atomic.Int32{}
	core := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(core.Close)
	return core.URL, asked
}

// TestAnotherCoreStandsIn: where the nearest cannot be reached, whatever the request is, and for a while without being
// tried again.
func TestAnotherCoreStandsIn(t *testing.T) {
	gone := absent(t)
	second, asked := counting(t, "second")
	r := relayTo(t, gone+","+second, Pace{})
	got := r.send(t, "POST /v1/x?y HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
	if got.status != http.StatusOK || got.body != "second POST /v1/x?y abc" {
		t.Fatalf("%s%s", got.head, got.body)
	}
	if got := r.send(t, get("//looks/like/a/host")); !strings.HasSuffix(got.body, "//looks/like/a/host ") || asked.Load() != 2 {
		t.Fatalf("%s%s", got.head, got.body)
	}

	back := localtest.Listen(t, strings.TrimPrefix(gone, "http://"))
	first := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "first") })}
	go func() { _ = first.Serve(back) }()
	t.Cleanup(func() { first.Close() })
	if got := r.send(t, get("/v1/x")); got.body == "first" {
		t.Error("a core that could not be reached is tried again at once")
	}
	r.cores.now = func() time.Time { return time.Now().Add(2 * avoided) }
	if got := r.send(t, get("/v1/x")); got.body != "first" {
		t.Errorf("the nearest core is not asked again when it is back: %s", got.body)
	}
}

// TestACoreThatIsLeavingComesLast: it ends connections with its answers, and a new connection might come too late.
func TestACoreThatIsLeavingComesLast(t *testing.T) {
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		io.WriteString(w, "first")
	}))
	t.Cleanup(first.Close)
	second, _ := counting(t, "second")
	r := relayTo(t, first.URL+","+second, Pace{})
	if got := r.send(t, get("/v1/x")); got.body != "first" {
		t.Fatalf("%s%s", got.head, got.body)
	}
	r.cores.now = func() time.Time { return time.Now().Add(leaving - time.Second) }
	if got := r.send(t, get("/v1/x")); !strings.HasPrefix(got.body, "second ") {
		t.Errorf("a core that is leaving is asked again: %s", got.body)
	}
	r.cores.now = func() time.Time { return time.Now().Add(leaving + time.Second) }
	if got := r.send(t, get("/v1/x")); got.body != "first" {
		t.Errorf("the nearest core is not asked again when it is back: %s", got.body)
	}
}

// hanging is an origin that takes requests and answers none.
func hanging(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return "http://" + l.Addr().String()
}

// TestACoreThatHangsIsPassedOver: what only reads is asked of another core, in time for callers that wait, and of that one first
// from then on.
func TestACoreThatHangsIsPassedOver(t *testing.T) {
	second, asked := counting(t, "second")
	r := relayTo(t, hanging(t)+","+second, Pace{})
	r.cores.quick.ResponseHeaderTimeout = 3 * time.Second
	for n := range int32(3) {
		if got := r.send(t, get("/v1/x")); got.status != http.StatusOK || asked.Load() != n+1 {
			t.Fatalf("%s%s", got.head, got.body)
		}
	}
	if r.cores.shunned[0].Load() == 0 {
		t.Error("the core that hangs is asked first again")
	}
}

// TestNothingIsDoneTwice: a request that may have reached a core is made to no other one, unless it only reads.
func TestNothingIsDoneTwice(t *testing.T) {
	first, tried := rude(t)
	second, asked := counting(t, "second")
	r := relayTo(t, first+","+second, Pace{})
	for n, method := range []string{"POST", "PATCH", "PUT", "DELETE"} {
		r.cores.shunned[0].Store(0)
		got := r.send(t, method+" /v1/x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
		if got.status != http.StatusServiceUnavailable || asked.Load() != 0 || int(tried.Load()) != n+1 {
			t.Fatalf("%s: %s%s, the second core was asked %d times", method, got.head, got.body, asked.Load())
		}
	}
	r.cores.shunned[0].Store(0)
	if got := r.send(t, get("/v1/x")); got.status != http.StatusOK || asked.Load() != 1 {
		t.Fatalf("%s%s", got.head, got.body)
	}
}

// TestACallerWhoBreaksOffBringsNoCoreIntoDisrepute: its body is at fault, not the core.
func TestACallerWhoBreaksOffBringsNoCoreIntoDisrepute(t *testing.T) {
	first, _ := counting(t, "first")
	second, asked := counting(t, "second")
	r := relayTo(t, first+","+second, Pace{})
	conn := r.dial(t)
	if _, err := io.WriteString(conn, "POST /v1/x HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nabc"); err != nil {
		t.Fatal(err)
	}
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got := receive(t, bufio.NewReader(conn), "POST"); got.status != http.StatusBadRequest {
		t.Fatalf("%s%s", got.head, got.body)
	}
	if got := r.send(t, get("/v1/x")); !strings.HasPrefix(got.body, "first ") || asked.Load() != 0 {
		t.Fatalf("%s%s", got.head, got.body)
	}
}

// TestWithAllCoresAwayEachIsTried: and the answer is that there is none.
func TestWithAllCoresAwayEachIsTried(t *testing.T) {
	r := relayTo(t, absent(t)+","+absent(t), Pace{})
	for range 2 {
		if got := r.send(t, get("/v1/x")); got.status != http.StatusServiceUnavailable {
			t.Fatalf("%s%s", got.head, got.body)
		}
	}
	if r.cores.shunned[0].Load() == 0 || r.cores.shunned[1].Load() == 0 {
		t.Error("a core was not tried")
	}
}
