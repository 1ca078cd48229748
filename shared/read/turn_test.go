package read_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"svc/shared/fault"
	"svc/shared/query"
	"svc/shared/read"
)

// opened counts the views of a store.
type opened struct {
	read.Store
	views int
}

func (o *opened) Open(ctx context.Context, project string) (read.View, error) {
	o.views++
	return o.Store.Open(ctx, project)
}

// TestListsThatLookAroundWaitForTheirTurn: lists with filters or an order take a turn and give it back, whatever comes of them;
// nothing else does. Where a slot is free they need one view, and a second one after they have waited.
func TestListsThatLookAroundWaitForTheirTurn(t *testing.T) {
	for _, tt := range []struct {
		req  read.Request
		want int // turns
	}{
		{read.Request{RawQuery: "filter[title]=Hello"}, 1},
		{read.Request{RawQuery: "%66ilter%5Btitle%5D=Hello", Method: "HEAD"}, 1},
		{read.Request{RawQuery: "order=-title&at=1"}, 1},
		{read.Request{RawQuery: "filter[nothing]=1"}, 1},
		{read.Request{RawQuery: "order=title", Project: "nowhere"}, 0},
		{read.Request{RawQuery: "q=hello"}, 1},
		{read.Request{RawQuery: "q=+"}, 0},
		{read.Request{RawQuery: "limit=3&fields=title&at=1"}, 0},
		{read.Request{RawQuery: "filter[title]=1&order="}, 0}, // which is refused
		{read.Request{Route: query.RouteBacklinks, Ref: "hello"}, 1},
		{read.Request{Route: query.RouteBacklinks, Ref: "hello", Method: "OPTIONS"}, 0},
		{read.Request{RawQuery: "order=title", Method: "OPTIONS"}, 0},
		{read.Request{RawQuery: "order=title", Route: query.RouteEntry, Ref: "hello"}, 0},
	} {
		for waits := range 2 {
			s := newSite(t)
			store := &opened{Store: s.engine.Store}
			taken, kept := 0, 0
			s.engine.Store, s.engine.AcquireScan = store, func(ctx context.Context) (func(), error) {
				if err := ctx.Err(); err != nil && waits == 1 {
					return nil, err
				}
				taken++
				kept++
				return func() { kept-- }, nil
			}
			s.get(tt.req)
			if views := 1 + waits*tt.want; taken != tt.want || kept != 0 || store.views != views {
				t.Errorf("%s %q: %d turns, %d of them kept, and %d views; want %d and %d", tt.req.Method, tt.req.RawQuery, taken, kept, store.views, tt.want, views)
			}
		}
	}
}

func TestAListWhoseTurnDoesNotComeIsToTryAgain(t *testing.T) {
	s := newSite(t)
	s.engine.AcquireScan = func(context.Context) (func(), error) {
		return nil, &fault.Error{Code: fault.Unavailable, Detail: "too many", RetryAfter: time.Second}
	}
	if got := s.get(read.Request{RawQuery: "order=title"}); !strings.HasPrefix(got, "later") || !strings.HasSuffix(got, " 1") {
		t.Errorf("a list in an order: %s", got)
	}
	s.want("a plain list", s.get(read.Request{}), "ok 1 "+revalidate)
}
