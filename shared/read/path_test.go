package read

import (
	"testing"

	"svc/shared/query"
)

func TestPathsOfReads(t *testing.T) {
	for path, want := range map[string]Path{
		"/v1/projects/p/collections":                             {query.RouteCollections, "p", "", ""},
		"/v1/projects/p/collections/posts/entries":               {query.RouteList, "p", "posts", ""},
		"/v1/projects/p/collections/posts/entries/a%2Fb":         {query.RouteEntry, "p", "posts", "a/b"},
		"/v1/projects/p/collections/home/singleton":              {query.RouteSingleton, "p", "home", ""},
		"/v1/projects/p%20q/collections/h%C3%A9/entries/":        {},
		"/v1/projects//collections":                              {},
		"/v1/projects/p/collections/":                            {},
		"/v1/projects/p/collections/posts":                       {},
		"/v1/projects/p/collections/posts/entries/a/b":           {},
		"/v1/projects/p/collections/posts/entries/a/references":  {query.RouteBacklinks, "p", "posts", "a"},
		"/v1/projects/p/collections/posts/entries//references":   {},
		"/v1/projects/p/collections/posts/entries/a/references/": {},
		"/v1/projects/p/collections/posts/entries/a/References":  {},
		"/v1/projects/p/collections/posts/entries/%zz":           {},
		"/v1/projects/p/live":                                    {query.RouteLive, "p", "", ""},
		"/v1/projects/p/live/":                                   {},
		"/v1/projects/p/live/posts":                              {},
		"/v1/projects//live":                                     {},
		"/v1/projects/p":                                         {},
		"/V1/projects/p/collections":                             {},
		"/v1//projects/p/collections":                            {},
		"":                                                       {},
	} {
		got, ok := ParsePath([]byte(path))
		if ok != (want.Route != 0) || ok && got != want {
			t.Errorf("%q: %+v, %v", path, got, ok)
		}
	}
}

func FuzzParsePath(f *testing.F) {
	f.Add("/v1/projects/p/collections/posts/entries/a%2Fb")
	f.Add("/v1/projects/%70/collections")
	f.Fuzz(func(t *testing.T, path string) {
		got, ok := ParsePath([]byte(path))
		if ok && (got.Route == 0 || got.Project == "") {
			t.Fatalf("%q: %+v", path, got)
		}
	})
}

// TestPartsOfACacheKeyDoNotRunTogether, whatever bytes they have: %00 in a path is one.
func TestPartsOfACacheKeyDoNotRunTogether(t *testing.T) {
	seen := map[string]Request{}
	for _, req := range []Request{
		{Collection: "posts", Ref: "a\x00b"}, {Collection: "posts\x00a", Ref: "b"}, {Collection: "posts", Ref: "a", RawQuery: "b"},
		{Collection: "posts", Ref: "a\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00b"}, {Collection: "posts", RawQuery: "ab"}, {Collection: "posts", Ref: "ab"},
	} {
		x := exchange{req: req, project: &Project{ID: "prj_1"}}
		key := string(x.cacheKey(nil))
		if other, is := seen[key]; is {
			t.Errorf("%+v and %+v have one key", req, other)
		}
		seen[key] = req
	}
}
