package read_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"svc/shared/content"
	"svc/shared/query"
	"svc/shared/read"
)

// forgetful is a store in which no entry has a history.
type forgetful struct {
	read.Store
	err error
}

func (s *forgetful) Open(ctx context.Context, project string) (read.View, error) {
	v, err := s.Store.Open(ctx, project)
	return &forgetfulView{v, s.err}, err
}

type forgetfulView struct {
	read.View
	err error
}

func (v *forgetfulView) History(context.Context, string, content.EntryID, uint64, func([]byte) bool) error {
	return v.err
}

// TestACursorBehindATextThatIsNotHeld: a long text that no revision holds any more cannot be continued behind. An edge cannot
// tell it from one whose release has not come yet, which core has.
func TestACursorBehindATextThatIsNotHeld(t *testing.T) {
	engine := newListed(t)
	ask := func(raw string) *read.Response {
		resp := engine.Serve(t.Context(), &read.Request{Method: http.MethodGet, Project: "shop", Collection: "posts", Route: query.RouteList, RawQuery: raw})
		t.Cleanup(resp.Release)
		return resp
	}
	first := string(ask("order=-t&limit=2").Body)
	_, rest, _ := strings.Cut(first, `"nextCursor":"`)
	cursor, _, _ := strings.Cut(rest, `"`)
	if len(cursor) < 300 || len(cursor) > 450 {
		t.Fatalf("the cursor has %d bytes: %s", len(cursor), first)
	}
	next := "order=-t&limit=2&cursor=" + url.QueryEscape(cursor)
	if resp := ask(next); resp.Status != http.StatusOK {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	held := engine.Store
	engine.Store = &forgetful{Store: held}
	if resp := ask(next); resp.Status != http.StatusBadRequest || !strings.Contains(string(resp.Body), `"path":"cursor"`) || !strings.Contains(string(resp.Body), "first page") {
		t.Errorf("%d %s", resp.Status, resp.Body)
	}
	broken := errors.New("broken")
	engine.Store = &forgetful{Store: held, err: broken}
	if resp := ask(next); resp.Status != http.StatusInternalServerError || !errors.Is(resp.Err, broken) {
		t.Errorf("%d %s, %v", resp.Status, resp.Body, resp.Err)
	}

	engine.Await = func(context.Context, content.ProjectID, uint64) error { return nil }
	if resp := ask(next); resp.Status != http.StatusInternalServerError {
		t.Errorf("an edge: %d %s", resp.Status, resp.Body)
	}
	engine.Store = &forgetful{Store: held} // an edge that is behind the one that made the cursor
	if resp := ask(next); !resp.Forward {
		t.Errorf("an edge without the text: %d %s", resp.Status, resp.Body)
	}
}
