package read_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/shared/content"
	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// newListed is a site with a few entries of every scalar type, which pages of these origins may read.
func newListed(t testing.TB, origins ...string) *read.Engine {
	t.Helper()
	memory := readtest.NewMemory()
	project := readtest.Project(1)
	err := memory.PutSettings(t.Context(), readtest.Settings{From: 1, Project: read.Project{
		ID: project, Organization: readtest.Organization(1), Slug: "shop", PublicAPIEnabled: true, CursorKey: make([]byte, 32),
		Locales: []string{"en", "de"}, DefaultLocale: "en", AllowedOrigins: origins,
	}})
	if err == nil {
		err = memory.PutSchema(t.Context(), project, readtest.Schema{Number: 1, From: 1, Collections: []readtest.Version{{
			Name: "posts", Version: 1, Label: "Posts", Canonical: []byte(`{"name":"posts","visibility":"public","fields":{"t":{"type":"text","localized":true},"s":{"type":"slug"},"n":{"type":"number"},"b":{"type":"boolean"},"d":{"type":"date"},"i":{"type":"datetime"},"r":{"type":"reference","to":"posts"},"m":{"type":"markdown"}}}`),
		}}})
	}
	var items []readtest.Item
	for n := uint64(1); n <= 9; n++ {
		items = append(items, readtest.Item{
			Entry: readtest.Entry(n), Collection: "posts", Revision: readtest.Revision(n), SchemaVersion: 1,
			Fields: fmt.Sprintf(`{"t":{"de":"%d","en":"%s"},"n":%d,"b":%v,"d":"2024-01-0%d","i":"2024-01-01T0%d:00:00Z","r":%q,"m":"# Word %d\\n\\n*x* <b>y"}`, n, strings.Repeat("long ", 50+int(n%3)), n%4, n%2 == 0, n, n, readtest.Entry(n%9+2), n),
		})
	}
	if err == nil {
		err = memory.Publish(t.Context(), project, readtest.Release{Release: content.Release{Number: 1, PublishedAt: now}, Items: items})
	}
	if err != nil {
		t.Fatal(err)
	}
	return &read.Engine{Store: memory, Keys: memory, Now: func() time.Time { return now }}
}

// FuzzList asks for a list with any query string: it is answered or refused, and a page of it leads to the next.
func FuzzList(f *testing.F) {
	engine := newListed(f)
	for _, raw := range []string{
		"", "filter[n][gte]=1.5&order=-t&limit=2", "filter[t][in]=a\\,b,c&locale=de", "filter[i][lt]=2024-01-01T02:00:00+01:00", "order=t&limit=1&locale=de",
		"filter[b]=true&filter[b]=false", "filter[m]=x&order=r", "filter[d][exists]=false&at=1", "filter[][]=&order=-&filter[n]=1e99999", "filter%5bn%5d=%31&cursor=AAAA",
		"filter[r]=ent_01000000000000000000000001&fields=t", "order=t&at=2024-06-01&limit=3", "q=word+-%22x+y%22&limit=2&order=n", "include=r&representation=rendered&locale=de&limit=1", "include=r,,m&fields=r", "q=%E2%80%9Ca", strings.Repeat("filter[n][in]=1,", 300),
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		ask := func(raw string) (status int, body string) {
			resp := engine.Serve(t.Context(), &read.Request{Method: http.MethodGet, Project: "shop", Collection: "posts", Route: query.RouteList, RawQuery: raw})
			defer resp.Release()
			if resp.Err != nil || resp.Status != http.StatusOK && resp.Status != http.StatusBadRequest {
				t.Fatalf("%q: %d %s %v", raw, resp.Status, resp.Body, resp.Err)
			}
			return resp.Status, string(resp.Body)
		}
		status, body := ask(raw)
		_, rest, found := strings.Cut(body, `"nextCursor":"`)
		if status != http.StatusOK || !found || strings.Contains(raw, "cursor") || strings.Contains(raw, "%") {
			return
		}
		cursor, _, _ := strings.Cut(rest, `"`)
		if status, body := ask(raw + "&cursor=" + cursor); status != http.StatusOK || strings.Contains(body, `"data":[]`) {
			t.Fatalf("%q leads to %s, and there is %d %s", raw, cursor, status, body)
		}
	})
}
