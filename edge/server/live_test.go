package server

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/edge/limit"
	"svc/edge/live"
	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/read/readtest"
)

// newest is where the log of shop stands when a stand starts.
const newest = 10

// liveStand is an edge that holds shop, and whose test publishes events.
type liveStand struct {
	*stand
	hub *live.Hub
	key string // with content:read
}

func startLive(t *testing.T, cfg Config) *liveStand {
	t.Helper()
	memory := readtest.NewMemory()
	cfg.Engine = atEdge(memory)
	return startLiveOn(t, memory, cfg)
}

func startLiveOn(t *testing.T, memory *readtest.Memory, cfg Config) *liveStand {
	t.Helper()
	s := &liveStand{key: shop(t, memory, true)}
	s.hub = live.New(live.Config{Position: func(p content.ProjectID) (uint64, bool) { return newest, p == readtest.Project(1) }})
	cfg.Live = s.hub
	s.stand = startOn(t, memory, coreOver(memory), cfg)
	return s
}

// release publishes an event of a release with an entry of each of these collections.
func (s *liveStand) release(seq uint64, collections ...string) {
	e := &live.Event{Project: readtest.Project(1), Seq: seq, Release: seq, PublishedAt: time.UnixMilli(0)}
	for i, c := range collections {
		e.Collections = append(e.Collections, live.Collection{Key: c, Entries: []content.EntryID{readtest.Entry(uint64(i + 1))}})
	}
	s.hub.Publish(e)
}

// listener is a reader of a stream.
type listener struct {
	t     *testing.T
	conn  *net.TCPConn
	head  *http.Response
	lines *bufio.Scanner
}

// follow opens a stream. Headers are "Name: value".
func (s *liveStand) follow(t *testing.T, headers ...string) *listener {
	t.Helper()
	l := &listener{t: t, conn: s.dial(t)}
	if _, err := fmt.Fprintf(l.conn, "GET /v1/projects/shop/live HTTP/1.1\r\n%s\r\n\r\n", strings.Join(append(headers, "Host: a"), "\r\n")); err != nil {
		t.Fatal(err)
	}
	var err error
	if l.head, err = http.ReadResponse(bufio.NewReader(l.conn), nil); err != nil {
		t.Fatal(err)
	}
	l.lines = bufio.NewScanner(l.head.Body)
	return l
}

// shortIDs writes ids as tests name them.
var shortIDs = strings.NewReplacer(string(readtest.Project(1))+"/", "", string(readtest.Project(1)), "all",
	string(readtest.Entry(1)), "ent_1", string(readtest.Entry(2)), "ent_2", "]}", "", `"`, "", ",", " ")

// next returns the next event, its type, its id and its tags, as "release 11 posts ent_1", and "end" once the stream has ended.
func (l *listener) next() string {
	l.t.Helper()
	var out []string
	for l.lines.Scan() {
		name, value, _ := strings.Cut(l.lines.Text(), ": ")
		switch {
		case name == "event", name == "id":
			out = append(out, value)
		case name == "data":
			_, tags, _ := strings.Cut(value, `"tags":[`)
			return strings.Join(append(out, strings.Fields(shortIDs.Replace(tags))...), " ")
		}
	}
	return "end"
}

func (l *listener) gets(want ...string) {
	l.t.Helper()
	for _, w := range want {
		if got := l.next(); got != w {
			l.t.Fatalf("got %q instead of %q", got, w)
		}
	}
}

// TestTheHeadOfAStream is that of a read, but no one may keep, compress or hold back what follows.
func TestTheHeadOfAStream(t *testing.T) {
	t.Parallel()
	s := startLive(t, Config{Limiter: limit.New(limit.Policy{Name: "reads", Rate: 0.001, Burst: 9}, nil)})
	l := s.follow(t, "Origin: https://shop.example", "Accept-Encoding: gzip, br, zstd", "Accept: text/event-stream")
	for name, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no",
		"Content-Encoding": "", "Content-Length": "", "Transfer-Encoding": "", "Etag": "", "Vary": "Origin, Accept-Encoding",
		"Access-Control-Allow-Origin": "https://shop.example", "Svc-Release": "1", "Ratelimit": `"reads";r=8;t=1000`,
	} {
		if got := l.head.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if l.head.StatusCode != http.StatusOK || !l.head.Close || l.head.Header.Get("Svc-Request-Id") == "" {
		t.Errorf("%d %v", l.head.StatusCode, l.head.Header)
	}
	l.gets("start 10")
	s.release(11, "posts")
	l.gets("release 11 posts ent_1")
	// It counts once.
	if got := s.read(t, "shop", "").Header.Get("Ratelimit"); !strings.HasPrefix(got, `"reads";r=7;`) {
		t.Errorf("the next read has the limit %s", got)
	}
	if other := s.follow(t, "Origin: https://other.example"); other.head.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("a page of another origin may read it")
	}
}

// TestAStreamGoesOnWhereItEnded, and says where it cannot.
func TestAStreamGoesOnWhereItEnded(t *testing.T) {
	t.Parallel()
	s := startLive(t, Config{})
	for seq := range uint64(3) {
		s.release(newest+1+seq, "posts")
	}
	var listeners []*listener
	for _, c := range []struct {
		last string
		want []string
	}{
		{"", []string{"start 13"}},
		{"13", nil},
		{"11", []string{"release 12 posts ent_1", "release 13 posts ent_1"}},
		{"9", []string{"reset 13 all"}},
		{"14", []string{"reset 13 all"}},
		{"seven", []string{"reset 13 all"}},
	} {
		l := s.follow(t, "Last-Event-ID: "+c.last)
		l.gets(c.want...)
		listeners = append(listeners, l)
	}
	s.release(14, "posts")
	for _, l := range listeners {
		l.gets("release 14 posts ent_1")
	}
	s.hub.Reset(readtest.Project(1), 20) // the log was loaded again
	for _, l := range listeners {
		l.gets("reset 20 all")
	}
	s.release(21, "posts")
	for _, l := range listeners {
		l.gets("release 21 posts ent_1")
	}
}

// TestAStreamShowsWhatItsCallerMayRead.
func TestAStreamShowsWhatItsCallerMayRead(t *testing.T) {
	t.Parallel()
	s := startLive(t, Config{})
	mint := func(id string, scope credential.Scope, collections ...string) string {
		secret := credential.Mint(credential.APIKey)
		if err := s.subject.PutKey(t.Context(), credential.Grant{
			Key: content.KeyID(id), PublicID: secret.PublicID, Hash: secret.Hash(), Organization: readtest.Organization(1),
			Scopes: []credential.Scope{scope}, Collections: collections,
		}); err != nil {
			t.Fatal(err)
		}
		return "Authorization: Bearer " + secret.Text()
	}
	stranger, reader := s.follow(t), s.follow(t, "Authorization: Bearer "+s.key)
	writer, confined := s.follow(t, mint("key_2", credential.ContentWrite)), s.follow(t, mint("key_3", credential.ContentRead, "posts"))
	for _, l := range []*listener{stranger, reader, writer, confined} {
		l.gets("start 10")
	}
	s.release(11, "posts", "drafts")
	s.release(12, "drafts")
	s.release(13, "posts")
	reader.gets("release 11 posts ent_1 drafts ent_2", "release 12 drafts ent_1", "release 13 posts ent_1")
	for _, l := range []*listener{stranger, writer, confined} {
		l.gets("release 11 posts ent_1", "release 13 posts ent_1")
	}
	// What is private by now is not told of any more, though it was public when it was published.
	if err := s.subject.PutSchema(t.Context(), readtest.Project(1), readtest.Schema{Number: 2, From: 2, Collections: []readtest.Version{
		{Name: "posts", Version: 2, Label: "Posts", Canonical: []byte(`{"name":"posts","fields":{"title":{"type":"text"}}}`)},
	}}); err != nil {
		t.Fatal(err)
	}
	s.hub.Publish(&live.Event{Project: readtest.Project(1), Seq: 14, All: true, Collections: []live.Collection{{Key: "posts", WasPublic: true}}})
	s.release(15, "posts")
	stranger.gets("change 14 all posts")
	reader.gets("change 14 all posts", "release 15 posts ent_1")
	late := s.follow(t, "Last-Event-ID: 10")
	late.gets("change 14 all posts")
}
