package read_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/shared/content"
	"svc/shared/cors"
	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/read/readtest"
	"svc/shared/schema"
)

// Whatever a caller sends, the answer is a documented one and never a failure of the service.
func FuzzServe(f *testing.F) {
	f.Add("GET", byte(0), "shop", "posts", "", "limit=1&at=release-1&cursor=AQAA", "", "https://a.b", `"x"`, "gzip, br", "7")
	f.Add("HEAD", byte(1), "prj_01000000000000000000000001", "drafts", "ent_01000000000000000000000001", "at=2024-05-31", "Bearer svc_sk_0_1", "null", "*", "*", "-1")
	f.Add("OPTIONS", byte(2), "\x00", "posts", "A\xff", "filter[a][b]=c&q=%zz", "Bearer ", "", "W/", ";q=", "")
	f.Fuzz(func(t *testing.T, method string, route byte, project, collection, ref, raw, authorization, origin, match, coding, release string) {
		s := newSite(t)
		resp := s.engine.Serve(t.Context(), &read.Request{
			Method: method, Route: query.Route(route%6) + query.RouteCollections, Project: project, Collection: collection, Ref: ref,
			RawQuery: raw, Authorization: authorization, Origin: origin, IfNoneMatch: match, AcceptEncoding: coding, MinRelease: &release,
		})
		defer resp.Release()
		switch resp.Status {
		case 200, 204, 304, 400, 401, 403, 404, 405, 503:
		default:
			t.Fatalf("answered %d: %s", resp.Status, resp.Body)
		}
		if resp.Err != nil {
			t.Fatal(resp.Err)
		}
		seen := map[string]bool{}
		for _, h := range resp.Headers {
			if seen[h.Name] || h.Name != http.CanonicalHeaderKey(h.Name) || strings.ContainsAny(h.Value, "\r\n\x00") {
				t.Fatalf("header %q: %q", h.Name, h.Value)
			}
			seen[h.Name] = true
		}
		if tag, _, _ := strings.Cut(strings.Trim(resp.Header("Etag"), `"`), "-"); resp.Status == 304 && !strings.Contains(match, `"`+tag) && strings.Trim(match, " \t") != "*" {
			t.Fatalf("If-None-Match: %s is answered with 304 and the tag %s", match, tag)
		}
		if resp.Header("Vary") != "Origin, Accept-Encoding" {
			t.Fatalf("Vary is %q", resp.Header("Vary"))
		}
	})
}

// rows is a store that costs nothing, so that a benchmark shows the engine alone.
type rows struct {
	read.View
	project    read.Project
	collection read.Collection
	page       []read.Row
}

func (r *rows) Open(context.Context, string) (read.View, error) { return r, nil }
func (r *rows) Close()                                          {}
func (r *rows) Project() *read.Project                          { return &r.project }
func (r *rows) Head() content.Release                           { return content.Release{Number: 7} }
func (r *rows) Collection(string) (*read.Collection, bool)      { return &r.collection, true }

func (r *rows) Frame(context.Context, string, uint64) (read.Frame, error) {
	return read.Frame{Schema: r.collection.Schema, Version: 1}, nil
}

func (r *rows) List(_ context.Context, q read.ListQuery) (read.Page, error) {
	return read.Page{Rows: r.page[:q.Limit], More: true}, nil
}

func (r *rows) BySlug(context.Context, string, string, uint64) (read.Row, bool, error) {
	return r.page[0], true, nil
}

func benchEngine(b *testing.B) *read.Engine {
	c, err := schema.Parse([]byte(`{"name":"posts","visibility":"public","fields":{"title":{"type":"text"},"body":{"type":"markdown"},"slug":{"type":"slug"}}}`))
	if err != nil {
		b.Fatal(err)
	}
	store := &rows{collection: read.Collection{Schema: c, Version: 1}}
	store.project = read.Project{ID: readtest.Project(1), Slug: "shop", PublicAPIEnabled: true, CursorKey: make([]byte, 32)}
	body := strings.Repeat("Some words of prose, which differ from one another. ", 38)
	for n := range uint64(100) {
		store.page = append(store.page, read.Row{
			Entry: readtest.Entry(n), Revision: readtest.Revision(n), Slug: fmt.Sprintf("post-%d", n), PublishedAt: 1717200000000,
			SchemaVersion: 1, Fields: fmt.Appendf(nil, `{"title":"Post %d","body":"%s","slug":"post-%d"}`, n, body, n),
			Key: read.Key{Missing: true, Entry: readtest.Entry(n)},
		})
	}
	return &read.Engine{Store: store, Now: time.Now}
}

func BenchmarkServe(b *testing.B) {
	engine := benchEngine(b)
	for name, req := range map[string]read.Request{
		"entry":       {Route: query.RouteEntry, Ref: "post-0"},
		"entry_304":   {Route: query.RouteEntry, Ref: "post-0", IfNoneMatch: "*"},
		"entry_gzip":  {Route: query.RouteEntry, Ref: "post-0", AcceptEncoding: "gzip"},
		"entry_zstd":  {Route: query.RouteEntry, Ref: "post-0", AcceptEncoding: "zstd"},
		"list":        {Route: query.RouteList},
		"list_fields": {Route: query.RouteList, RawQuery: "fields=title,slug"},
		"list_br":     {Route: query.RouteList, AcceptEncoding: "br"},
		"list_zstd":   {Route: query.RouteList, AcceptEncoding: "zstd"},
	} {
		req.Method, req.Project, req.Collection = "GET", "shop", "posts"
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				resp := engine.Serve(b.Context(), &req)
				if resp.Status != 200 && resp.Status != 304 {
					b.Fatalf("%d %s", resp.Status, resp.Body)
				}
				b.SetBytes(int64(len(resp.Body)))
				resp.Release()
			}
		})
	}
}

// FuzzOrigin checks that no origin is named that is not, as it stands there, one of the project's. Of a project that does not exist
// it is any that a browser could send.
func FuzzOrigin(f *testing.F) {
	for _, origin := range []string{"https://shop.example", "https://SHOP.example:443/x", "http://127.0.0.2:8080", "null", "https://shop.example\r\nx: y", " https://shop.example ", "https://shop.example.evil.com", "https://xn--mnchen-3ya.example"} {
		f.Add(origin)
	}
	allowed := []string{"https://shop.example", "http://127.0.0.2:8080", "https://xn--mnchen-3ya.example"}
	engine := newListed(f, allowed...)
	f.Fuzz(func(t *testing.T, origin string) {
		for _, method := range []string{http.MethodGet, http.MethodOptions} {
			for _, project := range []string{"shop", "nowhere"} {
				resp := engine.Serve(t.Context(), &read.Request{Method: method, Route: query.RouteList, Project: project, Collection: "posts", Origin: origin})
				named := resp.Header("Access-Control-Allow-Origin")
				canonical, ok := cors.Canonical(origin)
				if named != "" && named != canonical || project == "nowhere" && ok != (named != "") || project == "shop" && slices.Contains(allowed, canonical) != (named != "") {
					t.Fatalf("%s of %s: the origin %q is named %q", method, project, origin, named)
				}
				resp.Release()
			}
		}
	})
}
