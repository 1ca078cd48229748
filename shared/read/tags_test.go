package read_test

import (
	"strings"
	"testing"

	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

func TestAnswersForSharedCachesNameWhatTheyWereMadeFrom(t *testing.T) {
	s := newSite(t)
	for name, c := range map[string]struct {
		req  read.Request
		want string
	}{
		"a list":                     {read.Request{Route: query.RouteList}, "prj,prj/posts"},
		"a list at a pin":            {read.Request{Route: query.RouteList, RawQuery: "at=1"}, "prj,prj/posts"},
		"an entry":                   {read.Request{Route: query.RouteEntry, Ref: string(readtest.Entry(1))}, "prj," + string(readtest.Entry(1))},
		"what refers to an entry":    {read.Request{Route: query.RouteBacklinks, Ref: string(readtest.Entry(1))}, "prj,prj/posts"},
		"the collections":            {read.Request{Route: query.RouteCollections}, "prj"},
		"a private collection":       {read.Request{Route: query.RouteList, Collection: "drafts"}, ""},
		"an entry that is not there": {read.Request{Route: query.RouteEntry, Ref: "nothing"}, ""},
	} {
		req := c.req
		req.Method, req.Project = "GET", "shop"
		if req.Collection == "" {
			req.Collection = "posts"
		}
		resp := s.engine.Serve(t.Context(), &req)
		if got := strings.ReplaceAll(resp.Header("Cache-Tag"), string(readtest.Project(1)), "prj"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		resp.Release()
	}
}
