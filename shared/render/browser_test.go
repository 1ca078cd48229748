package render

import (
	"context"
	"embed"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
)

//go:embed testdata/browser
var browserFiles embed.FS

// pages is a site that a browser reads: one page for each document. It is the browser's proxy too, so that it sees every request.
type pages struct {
	names, html []string
	over        chan struct{}

	mu         sync.Mutex
	found      map[string][]string // what documents did, by name
	elsewhere  []string            // requests to other origins, and those for pages that no one asked for
	served     map[int]int
	properties map[string]bool // of windows, documents and forms, as this browser has them
}

const site = "http://localhost" // which browsers trust enough to say what a request is for

// reportOnly is a policy that only reports. What the page itself needs are scripts, requests and images from its own origin.
const reportOnly = "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"

// ServeHTTP implements http.Handler.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var n int
	var rest string
	matched, _ := fmt.Sscanf(r.URL.Path, "/page/%d%s", &n, &rest)
	isPage := matched > 0 && 0 <= n && n < len(p.names)
	switch to := r.Header.Get("Sec-Fetch-Dest"); {
	case r.Method == http.MethodConnect || r.Host != strings.TrimPrefix(site, "http://"):
		if !ofTheBrowser(r.Host) {
			p.note(&p.elsewhere, r.Method+" "+r.URL.String())
		}
		http.Error(w, "there is nothing but this site", http.StatusBadGateway)
	case r.URL.Path == "/" && to == "document":
		p.file(w, "runner.html", "text/html; charset=utf-8")
	case r.URL.Path == "/trap.js":
		p.file(w, "trap.js", "text/javascript")
	case r.URL.Path == "/pages":
		paths := make([]string, len(p.names))
		for i := range paths {
			paths[i] = fmt.Sprint("/page/", i)
		}
		_ = json.MarshalWrite(w, paths) // to a browser that is gone
	case r.URL.Path == "/ran":
		var page int
		_, _ = fmt.Sscanf(r.FormValue("page"), "/page/%d", &page) // the script of the page wrote it
		p.mu.Lock()
		p.found[p.names[page]] = append(p.found[p.names[page]], r.FormValue("what"))
		p.mu.Unlock()
	case r.URL.Path == "/names":
		var names []string
		if err := json.UnmarshalRead(r.Body, &names); err == nil {
			p.mu.Lock()
			for _, name := range names {
				p.properties[name] = true
			}
			p.mu.Unlock()
		}
	case r.URL.Path == "/over":
		close(p.over)
	case isPage && rest == "/html":
		_, _ = io.WriteString(w, p.html[n])
	case isPage && rest == "" && to == "iframe" && p.first(n):
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy-Report-Only", reportOnly)
		fmt.Fprintf(w, "<!DOCTYPE html><meta charset=utf-8><title>A document</title><script src=/trap.js></script>\n<main>%s</main><p id=after>after</p>", p.html[n])
	case to == "image":
		http.NotFound(w, r) // an image of this site, which a document may ask for
	default:
		p.note(&p.elsewhere, r.Method+" "+r.URL.String()+" as "+to)
		http.NotFound(w, r)
	}
}

// ofTheBrowser reports whether a browser asks for a host of its own accord.
func ofTheBrowser(host string) bool {
	name, _, _ := strings.Cut(host, ":")
	return slices.ContainsFunc([]string{"google.com", "googleapis.com", "gvt1.com", "gstatic.com"}, func(own string) bool {
		return name == own || strings.HasSuffix(name, "."+own)
	})
}

func (p *pages) first(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.served[n]++
	return p.served[n] == 1
}

func (p *pages) note(list *[]string, what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*list = append(*list, what)
}

func (p *pages) file(w http.ResponseWriter, name, kind string) {
	text, err := browserFiles.ReadFile("testdata/browser/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(text)
}

// browse has a browser read pages, and returns what came of it. SVC_TEST_BROWSER names the browser, which is of the Chromium family;
// `make soak` sets it.
func browse(t *testing.T, names, html []string) *pages {
	t.Helper()
	browser := os.Getenv("SVC_TEST_BROWSER")
	if browser == "" {
		t.Skip("no browser reads the pages: install the Debian package chromium, or another browser, and name its program in SVC_TEST_BROWSER")
	}
	p := &pages{names: names, html: html, over: make(chan struct{}), found: map[string][]string{}, served: map[int]int{}, properties: map[string]bool{}}
	server := httptest.NewServer(p)
	defer server.Close()
	profile, err := os.MkdirTemp("", "svc-browser-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(profile)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-extensions",
		"--user-data-dir="+profile, "--remote-debugging-port=0", "--proxy-server="+server.URL, "--proxy-bypass-list=<-loopback>", site+"/")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // it starts others, which end with it
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatalf("SVC_TEST_BROWSER=%s: %v", browser, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-p.over:
		cancel()
		<-ended
	case err := <-ended:
		t.Fatalf("the browser ended: %v\n%s", err, said.String())
	}
	return p
}

// TestBrowsersRunNothingOfRenderedMarkdown: a browser that shows the hostile documents runs no script, asks for nothing but images of
// the page's own site, and stays on the page.
func TestBrowsersRunNothingOfRenderedMarkdown(t *testing.T) {
	var names, rendered []string
	for _, d := range hostile(t) {
		out, err := new(Page).Markdown([]byte(d.source))
		if err != nil {
			t.Fatal(err)
		}
		names, rendered = append(names, d.name), append(rendered, string(out))
	}
	p := browse(t, names, rendered)
	for i, name := range names {
		if found := p.found[name]; len(found) > 0 || p.served[i] != 1 {
			t.Errorf("%s, read %d times, does %q: %s", name, p.served[i], found, rendered[i])
		}
	}
	if len(p.elsewhere) > 0 {
		t.Errorf("requests that no document may make: %q", p.elsewhere)
	}
	for name := range p.properties {
		var page Page
		if page.id(name) == name {
			t.Errorf("a heading may have the id %q, by which this browser knows a property of windows, documents or forms", name)
		}
	}
	if !p.properties["cookie"] || !p.properties["submit"] || !p.properties["alert"] {
		t.Errorf("the browser told of no properties: %d", len(p.properties))
	}
}

// TestTheBrowserTellsOfWhatRuns: without the policy, each of these is noticed.
func TestTheBrowserTellsOfWhatRuns(t *testing.T) {
	cases := []struct{ name, html, notices string }{
		{"a script", `<script>alert(1)</script>`, "alert"},
		{"a script that calls nothing", `<script>var a = 1</script>`, "script-src-elem inline"},
		{"a handler", `<img src=x onerror=prompt(1)>`, "prompt"},
		{"a handler of a click", `<b onclick="console.log(1)">a</b>`, "console.log"},
		{"a link", `<a href="java&#10;script:confirm(1)">a</a>`, "confirm"},
		{"a frame", `<iframe src="//evil.example/frame"></iframe>`, "frame-src"},
		{"a style", `<p style="background:url(/x)">a</p>`, "style-src-attr"},
		{"a font of another site", `<link rel=stylesheet href="//evil.example/style">`, "style-src-elem"},
		{"a form", `<form action="/sent"><button>a</button></form>`, "submits a form"},
		{"another page", `<meta http-equiv=refresh content="0;url=/another">`, "leaves the page"},
		{"a comment without an end", `<!-- a`, "the page behind it breaks"},
		{"too many end tags", `</main></body></main><div>`, "the page behind it breaks"},
		{"a property", `<a id=cookie>a</a>`, "cookie is no longer a property of the page"},
	}
	var names, raw []string
	for _, c := range cases {
		names, raw = append(names, c.name), append(raw, c.html)
	}
	p := browse(t, names, raw)
	for _, c := range cases {
		if !slices.ContainsFunc(p.found[c.name], func(what string) bool { return strings.HasPrefix(what, c.notices) }) {
			t.Errorf("%s: %q was not noticed among %q", c.name, c.notices, p.found[c.name])
		}
	}
	for _, request := range []string{"http://evil.example/frame", "http://evil.example/style"} {
		if !slices.ContainsFunc(p.elsewhere, func(s string) bool { return strings.Contains(s, request) }) {
			t.Errorf("%s is not among %q", request, p.elsewhere)
		}
	}
}
