package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"svc/bench/node"
	"svc/core/client"
	"svc/core/wire"
)

// TestEverythingAnswersOnAnEdge: what an edge does not own it passes on, so the whole work can be done through one.
func TestEverythingAnswersOnAnEdge(t *testing.T) {
	b := newBed(t, posts)
	b.api = client.New(b.edge2.URL, b.account.Token, nil)
	who, err := b.api.Whoami(t.Context())
	b.check(err)
	if who.Organization.Slug != b.account.Organization {
		t.Errorf("the key is one of %+v", who.Organization)
	}
	set := b.set("Posts")
	id := b.create(set, "posts", postNumber(1))
	b.patch(set, id, map[string]string{"body": "through an edge"})
	if n := b.publish(set); n != 1 {
		t.Fatalf("release %d", n)
	}
	b.await(1, "posts", b.nodes()...)
	b.reads("post-number-1", "", id, "through an edge", 1)
}

// TestBodiesAreStreamedThrough: an import that is larger than an edge would hold in memory, sent without a length, arrives
// whole, as it does on core.
func TestBodiesAreStreamedThrough(t *testing.T) {
	b := newBed(t, posts)
	const rows, size = 120, 100 << 10
	reader, writer := io.Pipe()
	go func() {
		for n := range rows {
			line := map[string]post{"data": {Title: postNumber(n).Title, Body: strings.Repeat("x", size)}}
			if err := json.MarshalWrite(writer, line); err != nil {
				writer.CloseWithError(err)
				return
			}
			if _, err := writer.Write([]byte("\n")); err != nil {
				return
			}
		}
		writer.Close()
	}()
	edge := client.New(b.edge1.URL, b.account.Token, nil)
	made, err := edge.ImportLines(t.Context(), b.project.Slug, "posts", reader, client.ImportOptions{})
	b.check(err)
	if made.Created != rows {
		t.Errorf("%d of %d rows arrived", made.Created, rows)
	}
	b.publish(string(*made.ChangeSet))
	b.await(1, "posts", b.nodes()...)
	// The pages that core makes come back whole too: each as large as core lets one become, together every row.
	seen := 0
	for query := (url.Values{"collection": {"posts"}, "limit": {"100"}}); ; {
		path := "/v1/projects/" + b.project.Slug + "/entries?" + query.Encode()
		answer := b.sameButOften(with(b.account.Token, b.nodes()...), path)
		var page struct {
			Data       []wire.Entry `json:"data"`
			Pagination struct {
				NextCursor string `json:"nextCursor"`
			} `json:"pagination"`
		}
		b.check(json.Unmarshal(answer.Body, &page))
		seen += len(page.Data)
		if page.Pagination.NextCursor == "" {
			break
		}
		query.Set("cursor", page.Pagination.NextCursor)
		if len(answer.Body) < 4<<20 {
			t.Fatalf("a page that is not the last one has %d bytes", len(answer.Body))
		}
	}
	if seen != rows {
		t.Errorf("%d of %d rows are on the pages", seen, rows)
	}
}

// sameButOften compares management answers, which carry no tags.
func (b *bed) sameButOften(nodes []node.Node, path string) node.Answer {
	b.t.Helper()
	answers, err := node.Ask(b.t.Context(), nodes, path)
	b.check(err)
	for _, a := range answers[1:] {
		if a.Status != answers[0].Status || !bytes.Equal(a.Body, answers[0].Body) {
			b.t.Fatalf("%d bytes: %s\nis not the same as\n%d bytes: %s", len(a.Body), a, len(answers[0].Body), answers[0])
		}
	}
	return answers[0]
}

// TestHeadersOfOneHopStayThere: and what describes the answer comes through.
func TestHeadersOfOneHopStayThere(t *testing.T) {
	b := newBed(t, posts)
	for _, n := range with(b.account.Token, b.nodes()...) {
		answer, err := n.Get(t.Context(), "/v1/auth/whoami",
			node.Header{Name: "Connection", Value: "X-Secret-Hop"}, node.Header{Name: "X-Secret-Hop", Value: "1"},
			node.Header{Name: "Te", Value: "trailers"}, node.Header{Name: "X-Forwarded-For", Value: "203.0.113.9"})
		b.check(err)
		if answer.Status != http.StatusOK || answer.Header.Get("Content-Type") != "application/json" ||
			answer.Header.Get("Cache-Control") != "no-store" || len(answer.Header.Values("Svc-Request-Id")) != 1 {
			t.Errorf("%s; with %v", answer, answer.Header)
		}
		for _, name := range []string{"Connection", "Keep-Alive", "Transfer-Encoding", "Trailer", "Te"} {
			if got := answer.Header.Get(name); got != "" {
				t.Errorf("%s: %s is %q", n.Name, name, got)
			}
		}
	}
}

// TestHeadIsGetWithoutABody: on public reads and through an edge.
func TestHeadIsGetWithoutABody(t *testing.T) {
	b := newBed(t, posts)
	set := b.set("Posts")
	b.create(set, "posts", postNumber(1))
	b.publish(set)
	b.await(1, "posts", b.nodes()...)
	for _, n := range b.nodes() {
		got, err := n.Get(t.Context(), b.list("posts"))
		b.check(err)
		head, err := n.Send(t.Context(), http.MethodHead, b.list("posts"), nil)
		b.check(err)
		if head.Status != got.Status || len(head.Body) != 0 || head.Header.Get("Etag") != got.Header.Get("Etag") ||
			head.Header.Get("Content-Length") != got.Header.Get("Content-Length") {
			t.Errorf("%s: GET %v, HEAD %v", n.Name, got.Header, head.Header)
		}
	}
}
