package e2e

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"svc/bench/node"
	"svc/core/wire"
)

// liveStream is a reader of live events.
type liveStream struct {
	b     *bed
	name  string
	lines *bufio.Scanner
	close context.CancelFunc
}

// liveEvent is one of them. Tags are without the id of the project.
type liveEvent struct {
	name string
	id   uint64
	data wire.LiveEvent
}

// follow opens a stream on a node, after an event if one is named.
func (b *bed) follow(n node.Node, last string) *liveStream {
	b.t.Helper()
	ctx, cancel := b.patient()
	b.t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, n.URL+"/v1/projects/"+b.project.Slug+"/live", nil)
	b.check(err)
	request.Header.Set("Last-Event-ID", last)
	if n.Token != "" {
		request.Header.Set("Authorization", "Bearer "+n.Token)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	b.check(err)
	b.t.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
		b.t.Fatalf("%s answers %d, %s", n.Name, response.StatusCode, response.Header)
	}
	return &liveStream{b, n.Name, bufio.NewScanner(response.Body), cancel}
}

// next waits for the next event; false where the stream has ended.
func (s *liveStream) next() (e liveEvent, ok bool) {
	s.b.t.Helper()
	for s.lines.Scan() {
		name, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch name {
		case "event":
			e.name = value
		case "id":
			var err error
			e.id, err = strconv.ParseUint(value, 10, 64)
			s.b.check(err)
		case "data":
			s.b.check(json.Unmarshal([]byte(value), &e.data))
			for i, tag := range e.data.Tags {
				e.data.Tags[i] = strings.TrimPrefix(tag, string(s.b.project.ID)+"/")
			}
			return e, true
		}
	}
	return e, false
}

// gets waits for an event of this name with these tags, and returns it.
func (s *liveStream) gets(name string, tags ...string) liveEvent {
	s.b.t.Helper()
	e, ok := s.next()
	slices.Sort(tags)
	slices.Sort(e.data.Tags)
	if !ok || e.name != name || !slices.Equal(e.data.Tags, tags) {
		s.b.t.Fatalf("%s sends %+v, %v; not %s with %v", s.name, e, ok, name, tags)
	}
	return e
}

// TestLiveEventsAreTheSameOnEveryEdge: a reader can leave one and go on at another, and misses nothing that it may know.
func TestLiveEventsAreTheSameOnEveryEdge(t *testing.T) {
	b := newBed(t, posts, memos)
	project := string(b.project.ID)
	key := b.mint("content:read")
	one, two, keyed := b.follow(b.edge1, ""), b.follow(b.edge2, ""), b.follow(with(key.Secret, b.edge1)[0], "")
	start := one.gets("start")
	if other := two.gets("start"); other.id != start.id || other.data.Release != 0 {
		t.Errorf("the edges start at %+v and %+v", start, other)
	}
	keyed.gets("start")

	set := b.set("Both")
	post, memo := b.create(set, "posts", postNumber(1)), b.create(set, "memos", map[string]string{"title": "Not for everyone"})
	release := b.publish(set)
	first := one.gets("release", "posts", post)
	if other := two.gets("release", "posts", post); other.id != first.id || first.id != start.id+1 || first.data.Release != release ||
		first.data.PublishedAt.IsZero() || !other.data.PublishedAt.Equal(first.data.PublishedAt.Time) {
		t.Errorf("release %d is %+v and %+v after %d", release, first, other, start.id)
	}
	keyed.gets("release", "posts", post, "memos", memo)
	one.close()

	// What happens now, one learns from the other edge.
	b.write(memo, map[string]string{"title": "Still not"})
	b.check(b.api.Reorder(t.Context(), b.project.Slug, "posts", []string{post}))
	_, err := b.api.UpdateProject(t.Context(), b.project.Slug, map[string]any{"allowedOrigins": []string{"https://shop.example"}})
	b.check(err)
	release = b.write(post, map[string]string{"body": "Changed."})
	keyed.gets("release", "memos", memo)
	again := b.follow(b.edge2, fmt.Sprint(first.id))
	for _, s := range []*liveStream{two, again, keyed} {
		s.gets("change", "posts")
		s.gets("change", project)
		if last := s.gets("release", "posts", post); last.id != first.id+4 || last.data.Release != release {
			t.Errorf("%s sends release %d as %+v after %d", s.name, release, last, first.id)
		}
	}
	if e := b.follow(b.edge2, "1000000").gets("reset", project); e.id != first.id+4 {
		t.Errorf("who comes from nowhere is told of position %d", e.id)
	}

	b.check(b.api.RevokeProjectKey(t.Context(), b.project.Slug, string(key.Key.ID)))
	if e, ok := keyed.next(); ok {
		t.Errorf("with a key that was revoked comes %+v", e)
	}
	_, err = b.api.UpdateProject(t.Context(), b.project.Slug, map[string]any{"publicApiEnabled": false})
	b.check(err)
	if e, ok := two.next(); ok {
		t.Errorf("after the public API was switched off comes %+v", e)
	}
}
