package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/edge/live"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// wavering are keys of which no one can tell whether they are good, once they are said to be.
type wavering struct {
	read.Keys
	away atomic.Bool
}

func (w *wavering) Grant(ctx context.Context, id string) (*credential.Grant, error) {
	if w.away.Load() {
		return nil, fault.New(fault.Unavailable, "credentials are too old")
	}
	return w.Keys.Grant(ctx, id)
}

// TestAStreamEndsWithTheRightsOfItsCaller, and others go on.
func TestAStreamEndsWithTheRightsOfItsCaller(t *testing.T) {
	t.Parallel()
	settings := func(s *liveStand, edit func(*readtest.Settings)) {
		now := readtest.Settings{From: 2, Project: read.Project{
			ID: readtest.Project(1), Organization: readtest.Organization(1), Slug: "shop", PublicAPIEnabled: true, CursorKey: make([]byte, 32),
		}}
		edit(&now)
		if err := s.subject.PutSettings(t.Context(), now); err != nil {
			t.Fatal(err)
		}
		s.hub.Publish(&live.Event{Project: readtest.Project(1), Seq: 11, Release: 1, All: true})
	}
	for name, c := range map[string]struct {
		end             func(s *liveStand, key credential.Grant, keys *wavering, clock *atomic.Int64)
		stranger, keyed string
	}{
		"the key is revoked": {func(s *liveStand, key credential.Grant, _ *wavering, _ *atomic.Int64) {
			key.Revoked = true
			if err := s.subject.PutKey(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}, "", "end"},
		"the key expires":                    {func(_ *liveStand, _ credential.Grant, _ *wavering, clock *atomic.Int64) { clock.Add(3600) }, "", "end"},
		"no one knows whether a key is good": {func(_ *liveStand, _ credential.Grant, keys *wavering, _ *atomic.Int64) { keys.away.Store(true) }, "", "end"},
		"the public API is switched off": {func(s *liveStand, _ credential.Grant, _ *wavering, _ *atomic.Int64) {
			settings(s, func(now *readtest.Settings) { now.PublicAPIEnabled = false })
		}, "end", "change 11 all"},
		"the project is deleted": {func(s *liveStand, _ credential.Grant, _ *wavering, _ *atomic.Int64) {
			settings(s, func(now *readtest.Settings) { now.Deleted = true })
		}, "end", "end"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var clock atomic.Int64
			clock.Store(1e9)
			memory := readtest.NewMemory()
			keys := &wavering{Keys: memory.Keys()}
			engine := atEdge(memory)
			engine.Keys, engine.Now = keys, func() time.Time { return time.Unix(clock.Load(), 0) }
			s := startLiveOn(t, memory, Config{Engine: engine, Pace: Pace{Comment: 150 * time.Millisecond}})
			secret := credential.Mint(credential.APIKey)
			key := credential.Grant{
				Key: "key_2", PublicID: secret.PublicID, Hash: secret.Hash(), Organization: readtest.Organization(1),
				Scopes: []credential.Scope{credential.ContentRead}, ExpiresAt: time.Unix(clock.Load()+60, 0),
			}
			if err := memory.PutKey(t.Context(), key); err != nil {
				t.Fatal(err)
			}
			stranger, keyed := s.follow(t), s.follow(t, "Authorization: Bearer "+secret.Text())
			stranger.gets("start 10")
			keyed.gets("start 10")
			c.end(s, key, keys, &clock)
			keyed.gets(c.keyed)
			if c.stranger == "" {
				s.release(11, "posts")
				c.stranger = "release 11 posts ent_1"
			}
			stranger.gets(c.stranger)
		})
	}
}

// TestWhoGetsNoStream: as for reads, and where an edge has no room, which reads still find.
func TestWhoGetsNoStream(t *testing.T) {
	t.Parallel()
	s := startLive(t, Config{MostConnections: 8})
	for range 4 {
		s.follow(t).gets("start 10")
	}
	for _, c := range []struct {
		path, header string
		status       int
		says         string
	}{
		{"/shop/live", "Origin: https://shop.example", http.StatusServiceUnavailable, "UNAVAILABLE"},
		{"/shop/live", "Authorization: Bearer svc_sk_0000000000000000_0000000000000000000000000000000000000000", http.StatusUnauthorized, "AUTHENTICATION_REQUIRED"},
		{"/shop/live", "Authorization: nonsense", http.StatusUnauthorized, "AUTHENTICATION_REQUIRED"},
		{"/shop/live?since=7", "Origin: https://shop.example", http.StatusBadRequest, "since"},
		{"/none/live", "Origin: https://shop.example", http.StatusNotFound, "there is no such project"},
		{"/shop/collections", "Origin: https://shop.example", http.StatusOK, "posts"},
	} {
		answer := s.talk(t, "GET /v1/projects"+c.path+" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"+c.header+"\r\n\r\n")[0]
		if body := text(t, answer); answer.StatusCode != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%s, %s: %d %s", c.path, c.header, answer.StatusCode, body)
		}
		if again := answer.Header.Get("Retry-After"); (again != "") != (c.status == http.StatusServiceUnavailable) {
			t.Errorf("%s: Retry-After is %q", c.path, again)
		}
		if origin, sent := answer.Header.Get("Access-Control-Allow-Origin"), strings.HasPrefix(c.header, "Origin"); (origin != "") != sent {
			t.Errorf("%s: the answer may be read by %q", c.path, origin)
		}
	}
}

// TestAnEdgeThatLacksAProjectPassesItsStreamsOn to core, which has none.
func TestAnEdgeThatLacksAProjectPassesItsStreamsOn(t *testing.T) {
	t.Parallel()
	core, edge := readtest.NewMemory(), readtest.NewMemory()
	shop(t, core, true)
	s := startOn(t, edge, coreOver(core), Config{Engine: atEdge(edge)})
	answer := s.talk(t, "GET /v1/projects/shop/live HTTP/1.1\r\nHost: a\r\n\r\n")[0]
	if body := text(t, answer); answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") != "1" || !strings.Contains(body, "edge") {
		t.Errorf("%d %v %s", answer.StatusCode, answer.Header, body)
	}
}

// TestTheHeadAloneAndThePreflight take no stream.
func TestTheHeadAloneAndThePreflight(t *testing.T) {
	t.Parallel()
	s := startLive(t, Config{})
	head := s.talk(t, "HEAD /v1/projects/shop/live HTTP/1.1\r\nHost: a\r\n\r\n")[0]
	if head.StatusCode != http.StatusOK || head.Header.Get("Content-Type") != "text/event-stream" || head.Header.Get("Content-Length") != "" {
		t.Errorf("%d %v", head.StatusCode, head.Header)
	}
	preflight := s.talk(t, "OPTIONS /v1/projects/shop/live HTTP/1.1\r\nHost: a\r\nOrigin: https://shop.example\r\n"+
		"Access-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: authorization, last-event-id\r\n\r\n")[0]
	if preflight.StatusCode != http.StatusNoContent || preflight.Header.Get("Ratelimit") != "" ||
		preflight.Header.Get("Access-Control-Allow-Headers") != "authorization, if-none-match, svc-min-release, last-event-id" {
		t.Errorf("%d %v", preflight.StatusCode, preflight.Header)
	}
	if n := s.server.connections.Held(); n != 0 {
		t.Errorf("%d streams are open", n)
	}
}

// TestCommentsKeepAStreamOpen, and find out that its reader has gone.
func TestCommentsKeepAStreamOpen(t *testing.T) {
	t.Parallel()
	s := startLive(t, Config{Pace: Pace{Comment: 75 * time.Millisecond}})
	l := s.follow(t)
	l.gets("start 10")
	var lines []string
	for len(lines) < 5 && l.lines.Scan() {
		lines = append(lines, l.lines.Text())
	}
	if want := []string{"", ":", "", ":", ""}; !slices.Equal(lines, want) {
		t.Errorf("between events come %q", lines)
	}
	l.conn.Close()
	until(t, "the stream is closed", func() bool { return s.server.connections.Count() == 0 })
}

// TestAReaderThatTakesNothingIsDropped.
func TestAReaderThatTakesNothingIsDropped(t *testing.T) {
	t.Parallel()
	s := startLive(t, Config{Pace: Pace{Stall: 100 * time.Millisecond}})
	l := s.follow(t)
	l.gets("start 10")
	var many []string
	for i := range 10_000 {
		many = append(many, "c"+strconv.Itoa(i))
	}
	seq := uint64(newest)
	until(t, "the reader is dropped", func() bool {
		seq++
		e := &live.Event{Project: readtest.Project(1), Seq: seq}
		for _, key := range many {
			e.Collections = append(e.Collections, live.Collection{Key: key, WasPublic: true})
		}
		s.hub.Publish(e)
		return s.server.connections.Held() == 0
	})
}

// TestStreamsEndWithTheServer, which waits for none of them.
func TestStreamsEndWithTheServer(t *testing.T) {
	t.Parallel()
	s := startLive(t, Config{})
	l := s.follow(t)
	l.gets("start 10")
	late := s.dial(t)
	ask(t, late, "/healthz")
	s.stop()
	l.gets("end")
	<-s.over
	if s.err != nil {
		t.Error(s.err)
	}
	if answer, err := io.ReadAll(late); err != nil || len(answer) > 0 {
		t.Errorf("a connection that rested got %q, %v", answer, err)
	}
}

// TestManyFollowTheSameProject while it changes: every reader gets every event once and in order.
func TestManyFollowTheSameProject(t *testing.T) {
	t.Parallel()
	s := startLive(t, Config{})
	var all []*listener
	for range 50 {
		l := s.follow(t)
		l.gets("start 10")
		all = append(all, l)
	}
	go func() {
		for seq := uint64(11); seq <= 60; seq++ {
			s.release(seq, "posts")
		}
	}()
	for _, l := range all {
		for seq := 11; seq <= 60; seq++ {
			l.gets(fmt.Sprintf("release %d posts ent_1", seq))
		}
	}
}
