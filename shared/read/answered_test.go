package read_test

import (
	"slices"
	"testing"

	"svc/shared/content"
	"svc/shared/query"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// TestWhichReadsCount for their organization: those that were answered, whatever the answer.
func TestWhichReadsCount(t *testing.T) {
	for _, c := range []struct {
		name  string
		ask   read.Request
		edge  bool
		hide  bool
		count bool
	}{
		{"a list", read.Request{}, false, false, true},
		{"a list, by its head", read.Request{Method: "HEAD"}, false, false, true},
		{"the collections", read.Request{Route: query.RouteCollections}, false, false, true},
		{"what the caller holds already", read.Request{IfNoneMatch: "*"}, false, false, true},
		{"an entry that is not there", read.Request{Route: query.RouteEntry, Ref: "none"}, false, false, true},
		{"a parameter that is not known", read.Request{RawQuery: "x=y"}, false, false, true},
		{"a private collection", read.Request{Collection: "drafts"}, false, false, true},
		{"a preflight", read.Request{Method: "OPTIONS", Origin: "https://a.example"}, false, false, false},
		{"another method", read.Request{Method: "POST"}, false, false, false},
		{"a release to come", read.Request{MinRelease: new("9")}, false, false, false}, // 503
		{"no such project", read.Request{Project: "other"}, false, false, false},
		{"a project that is hidden", read.Request{}, false, true, false},
		{"what core answers", read.Request{RawQuery: "preview=x"}, true, false, false},
	} {
		s := newSite(t)
		if c.edge {
			s.edge(s.never)
		}
		if c.hide {
			err := s.memory.PutSettings(t.Context(), readtest.Settings{From: 1, Project: read.Project{
				ID: readtest.Project(1), Organization: readtest.Organization(1), Slug: "shop", CursorKey: make([]byte, 32),
			}})
			if err != nil {
				t.Fatal(err)
			}
		}
		var counted []content.OrganizationID
		s.engine.Answered = func(o content.OrganizationID) { counted = append(counted, o) }
		want := []content.OrganizationID{readtest.Organization(1)}[:map[bool]int{true: 1}[c.count]]
		if got := s.get(c.ask); !slices.Equal(counted, want) {
			t.Errorf("%s: %s counts for %v, want %v", c.name, got, counted, want)
		}
	}
}
