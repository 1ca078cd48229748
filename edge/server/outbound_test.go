package server

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/shared/content"
	"svc/shared/read"
	"svc/shared/read/readtest"
	"svc/shared/wiretest"
)

// publishLarge gives the project a collection of a few entries of so many bytes each.
func publishLarge(t *testing.T, m *readtest.Memory, entries, size int) {
	t.Helper()
	id := readtest.Project(1)
	release := readtest.Release{Release: content.Release{Number: 1, PublishedAt: time.Now().UTC().Truncate(time.Millisecond)}}
	for n := range entries {
		release.Items = append(release.Items, readtest.Item{
			Entry: readtest.Entry(uint64(n + 1)), Revision: readtest.Revision(uint64(n + 1)), Collection: "posts", SchemaVersion: 1,
			Fields: fmt.Sprintf(`{"title":%q}`, strings.Repeat("x", size)),
		})
	}
	for _, err := range []error{
		m.PutSettings(t.Context(), readtest.Settings{From: 1, Project: read.Project{
			ID: id, Organization: readtest.Organization(1), Slug: "large", PublicAPIEnabled: true, AllowedOrigins: []string{"https://shop.example"}, CursorKey: make([]byte, 32),
		}}),
		m.PutSchema(t.Context(), id, readtest.Schema{Number: 1, From: 1, Collections: []readtest.Version{{
			Name: "posts", Version: 1, Label: "Posts",
			Canonical: []byte(`{"name":"posts","visibility":"public","fields":{"title":{"type":"text"}}}`),
		}}}),
		m.Publish(t.Context(), id, release),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

const largeList = "/v1/projects/large/collections/posts/entries"

// asksAndSleeps asks for the large list and takes nothing of it, until the answer is on its way.
func (s *stand) asksAndSleeps(t *testing.T) {
	t.Helper()
	before := s.taking()
	conn := s.dial(t)
	if err := conn.SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "GET "+largeList+" HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	until(t, "the answer is on its way", func() bool { return s.taking() != before || s.held() > s.server.outbound.Most/2 })
}

func (s *stand) taking() int {
	return s.server.outbound.State().Count
}

func (s *stand) held() int { return s.server.outbound.State().Bytes }

// TestAnswersThatAreNotTakenTakeBoundedMemory: where callers who do not take theirs fill it, those who have had longest to
// do so are cut off, and the others get their answers whole.
func TestAnswersThatAreNotTakenTakeBoundedMemory(t *testing.T) {
	const size, fit = 16 << 20, 4
	s := startWith(t, plenty, noCore(t), Config{MostAnswers: fit*size + size/2})
	s.server.outbound.Grace = 0
	publishLarge(t, s.subject, 1, size)
	for range 3 * fit {
		s.asksAndSleeps(t)
		if held := s.held(); held > s.server.outbound.Most {
			t.Fatalf("answers of %d bytes are on their way, and %d may be", held, s.server.outbound.Most)
		}
	}
	answer, err := wiretest.Client.Get(s.origin + largeList)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if n, err := io.Copy(io.Discard, answer.Body); err != nil || n < size || answer.StatusCode != http.StatusOK {
		t.Fatalf("%d, %d bytes, %v", answer.StatusCode, n, err)
	}
}

// TestEveryCallerHasAMomentToTakeAnAnswer: before that is over no one is cut off for another, who is told to come again.
func TestEveryCallerHasAMomentToTakeAnAnswer(t *testing.T) {
	const size = 16 << 20
	s := startWith(t, plenty, noCore(t), Config{MostAnswers: size + size/2})
	s.server.outbound.Grace = time.Hour
	publishLarge(t, s.subject, 1, size)
	s.asksAndSleeps(t)
	got := s.talk(t, "GET "+largeList+" HTTP/1.1\r\nHost: a\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
	if len(got) != 2 || got[0].StatusCode != http.StatusServiceUnavailable || got[0].Header.Get("Retry-After") == "" || got[1].StatusCode != http.StatusOK {
		t.Fatalf("%v", got)
	}
	if s.taking() != 1 {
		t.Error("the first caller was cut off")
	}
}

// TestAnAnswerThatIsTakenIsForgotten: and one that is larger than all that may be is given when it is alone.
func TestAnAnswerThatIsTakenIsForgotten(t *testing.T) {
	const size = 1 << 20
	s := startWith(t, plenty, noCore(t), Config{MostAnswers: size / 2})
	publishLarge(t, s.subject, 1, size)
	for range 3 {
		for _, method := range []string{"GET", "HEAD"} {
			got := s.talk(t, method+" "+largeList+" HTTP/1.1\r\nHost: a\r\n\r\n")
			if len(got) != 1 || got[0].StatusCode != http.StatusOK {
				t.Fatalf("%s: %v", method, got)
			}
			until(t, "it is forgotten", func() bool { return s.taking() == 0 && s.held() == 0 })
		}
	}
}
