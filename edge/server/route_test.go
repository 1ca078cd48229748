package server

import (
	"testing"

	"svc/shared/query"
)

func TestWhatAnEdgeReads(t *testing.T) {
	for path, want := range map[string]asked{
		"/v1/projects/p/collections":                            {query.RouteCollections, "p", "", ""},
		"/v1/projects/p/collections/posts/entries":              {query.RouteList, "p", "posts", ""},
		"/v1/projects/p/collections/posts/entries/a%2Fb":        {query.RouteEntry, "p", "posts", "a/b"},
		"/v1/projects/p/collections/home/singleton":             {query.RouteSingleton, "p", "home", ""},
		"/v1/projects/p%20q/collections/h%C3%A9/entries/":       {},
		"/v1/projects//collections":                             {},
		"/v1/projects/p/collections/":                           {},
		"/v1/projects/p/collections/posts":                      {},
		"/v1/projects/p/collections/posts/entries/a/b":          {},
		"/v1/projects/p/collections/posts/entries/a/references": {},
		"/v1/projects/p/collections/posts/entries/%zz":          {},
		"/v1/projects/p":                                        {},
		"/V1/projects/p/collections":                            {},
		"/v1//projects/p/collections":                           {},
		"":                                                      {},
	} {
		got, ok := asksToRead([]byte(path))
		if ok != (want.kind != 0) || ok && got != want {
			t.Errorf("%q: %+v, %v", path, got, ok)
		}
	}
}

func FuzzAsksToRead(f *testing.F) {
	f.Add("/v1/projects/p/collections/posts/entries/a%2Fb")
	f.Add("/v1/projects/%70/collections")
	f.Fuzz(func(t *testing.T, path string) {
		got, ok := asksToRead([]byte(path))
		if ok && (got.kind == 0 || got.project == "") {
			t.Fatalf("%q: %+v", path, got)
		}
	})
}
