package changelog

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/replication/stream/streamtest"
)

// pin appends the settings of a project that is pinned to a release.
func pin(t *testing.T, s *site, log string, to uint64) record.Position {
	t.Helper()
	inTx(t, s.pool, func(tx pgx.Tx) error {
		return AppendMessage(t.Context(), tx, log, record.KindProject, &recordpb.Project{Id: log, Slug: "press", PinnedRelease: to})
	})
	return head(t, s.pool, log)
}

// versions writes the envelope versions of what the stream has of a log.
func (s *site) versions(log string) (all []uint32) {
	s.t.Helper()
	for _, m := range streamtest.Messages(s.t, s.conn, log) {
		var env recordpb.Envelope
		if err := proto.Unmarshal(m.Envelope, &env); err != nil {
			s.t.Fatal(err)
		}
		all = append(all, env.Version)
	}
	return all
}

// What takes a newer record than a core is held to, another core sends, no matter which made the change and which is there
// first: the log waits for it, in order, and goes on behind it with both.
func TestACoreThatIsHeldToAnOlderVersionLeavesNewerRecordsToAnother(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	create(t, s.pool, "prj_a")
	create(t, s.pool, "prj_b")
	held := s.newRelay(s.connect())
	held.Version = record.Oldest
	s.run(held)
	named(t, s.pool, "prj_a", 2)
	before := s.level("prj_a")
	pin(t, s, "prj_a", 7)
	last := named(t, s.pool, "prj_a", 2)
	named(t, s.pool, "prj_b", 3) // the other log goes on
	s.unbroken("prj_b")
	if m, found, err := s.conn.Last(t.Context(), "prj_a"); err != nil || !found || m.Position != before {
		t.Fatalf("the stream is at %s, %v; a core that is held sends nothing behind %s", m.Position, err, before)
	}
	s.relay()
	s.unbroken("prj_a")
	if at := s.level("prj_a"); at != last {
		t.Errorf("at %s", at)
	}
	for range 5 { // changes of both kinds, which both relays hear of at once
		named(t, s.pool, "prj_a", 1)
		pin(t, s, "prj_a", 0)
		pin(t, s, "prj_a", 8)
	}
	s.unbroken("prj_a")
	got := s.versions("prj_a")
	want := []uint32{1, 1, 2, 1, 1}
	for range 5 {
		want = append(want, 1, 1, 2)
	}
	if len(got) != len(want) {
		t.Fatalf("%d messages, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("message %d has version %d, want %d", i+1, got[i], want[i])
		}
	}
}

// A core that is held answers an edge up to what it may not say, and then sends it to another core.
func TestAnAnswerEndsBeforeARecordThatACoreMayNotWrite(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	create(t, s.pool, "prj_a")
	first := named(t, s.pool, "prj_a", 1)
	named(t, s.pool, "prj_a", 2)
	pinned := pin(t, s, "prj_a", 7)
	named(t, s.pool, "prj_a", 2)
	server := httptest.NewServer((&Internal{Pool: s.pool, Secret: "secret", Gap: gapIn(s.pool), Log: s.logger(), Version: record.Oldest}).Handler())
	t.Cleanup(server.Close)
	changes := func(after record.Position) *http.Response {
		return get(t, server, "/internal/v1/logs/prj_a/changes?after="+after.String(), "Bearer secret")
	}
	at := readOn(t, changes(first).Body, first)
	if at.Seq != pinned.Seq-1 {
		t.Errorf("the answer ends at %s, the pin is %s", at, pinned)
	}
	refused := changes(at)
	body, err := io.ReadAll(refused.Body)
	if err != nil {
		t.Fatal(err)
	}
	if refused.StatusCode != http.StatusServiceUnavailable || refused.Header.Get("Retry-After") == "" || !bytes.Contains(body, []byte("ask another core")) {
		t.Errorf("%d %s", refused.StatusCode, body)
	}
	if !strings.Contains(string(body), "limited to version 1") {
		t.Errorf("%s", body)
	}
	if rest := changes(pinned); rest.StatusCode != http.StatusOK {
		t.Errorf("behind the pin it answers %d", rest.StatusCode)
	}
}
