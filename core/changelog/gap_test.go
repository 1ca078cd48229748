package changelog

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"svc/replication/publish"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/fault"
)

func internal(t *testing.T, pool *pgxpool.Pool) *httptest.Server {
	s := httptest.NewServer((&Internal{
		Pool: pool, Secret: "secret", Gap: gapIn(pool), Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Key: func(_ context.Context, public string) (string, *recordpb.Key, error) {
			if public != "known" {
				return "", nil, fault.New(fault.NotFound, "there is no key %q", public)
			}
			return "org_1", &recordpb.Key{PublicId: public}, nil
		},
	}).Handler())
	t.Cleanup(s.Close)
	return s
}

// gapIn answers edges for a database that never went back.
func gapIn(pool *pgxpool.Pool) func(context.Context, string, record.Position, *record.Stamp) (publish.Tail, error) {
	return func(ctx context.Context, log string, at record.Position, _ *record.Stamp) (publish.Tail, error) {
		return After(ctx, pool, log, at)
	}
}

func get(t *testing.T, s *httptest.Server, path, secret string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", secret)
	response, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}

// readOn reads an answer about changes after a position, and returns the last one's.
func readOn(t *testing.T, body io.Reader, at record.Position) record.Position {
	t.Helper()
	for r := bufio.NewReader(body); ; {
		frame, err := record.ReadFrame(r)
		if errors.Is(err, io.EOF) {
			return at
		}
		if err != nil {
			t.Fatal(err)
		}
		change, blob, err := record.Decode(frame)
		if err != nil || blob != nil || !change.Follows(at) {
			t.Fatalf("%v after %s: %v", change, at, err)
		}
		at = change.Position
	}
}

func TestEdgesGetTheChangesTheyMiss(t *testing.T) {
	t.Parallel()
	pool := database(t)
	c := newFixture(t, pool, "prj_a")
	for n := range 5 {
		c.release(n+1, 700, "")
	}
	named(t, pool, "prj_a", 300)
	s := internal(t, pool)
	at := record.Position{Epoch: 1}
	response := get(t, s, "/internal/v1/logs/prj_a/changes?after="+at.String(), "Bearer secret")
	if response.StatusCode != http.StatusOK {
		t.Fatal(response.Status)
	}
	at = readOn(t, response.Body, at)
	if want := head(t, pool, "prj_a"); at != want || response.Header.Get(HeadHeader) != want.String() {
		t.Fatalf("ends at %s, header %s, want %s", at, response.Header.Get(HeadHeader), want)
	}
}

func TestInternalRoutesAnswer(t *testing.T) {
	t.Parallel()
	pool := database(t)
	create(t, pool, "prj_a")
	named(t, pool, "prj_a", 2)
	exec(t, pool, `DELETE FROM change WHERE seq = 1`)
	s := internal(t, pool)
	none := record.Position{Epoch: 1}.String()
	for _, tt := range []struct {
		path, secret string
		status       int
		body         string
	}{
		{"/internal/v1/logs", "Bearer secret", 200, `{"logs":[{"log":"prj_a","position":"1.2.`},
		{"/internal/v1/logs", "Bearer secre", 401, "AUTHENTICATION_REQUIRED"},
		{"/internal/v1/logs", "secret", 401, "AUTHENTICATION_REQUIRED"},
		{"/internal/v1/logs", "", 401, "AUTHENTICATION_REQUIRED"},
		{"/internal/v1/logs/prj_a/changes?after=" + none, "Bearer wrong", 401, ""},
		{"/internal/v1/logs/prj_a/changes?after=" + none, "Bearer secret", 409, ""},
		{"/internal/v1/logs/prj_a/changes", "Bearer secret", 400, "after"},
		{"/internal/v1/logs/prj_b/changes?after=" + none, "Bearer secret", 404, "prj_b"},
		{"/internal/v1/keys/known", "Bearer secret", 200, `{"organization":"org_1","key":"EgVrbm93bg=="}`},
		{"/internal/v1/keys/other", "Bearer secret", 404, "other"},
		{"/internal/v1/keys/known", "Bearer other", 401, ""},
		{"/internal/v2", "Bearer secret", 404, "NOT_FOUND"},
	} {
		response := get(t, s, tt.path, tt.secret)
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != tt.status || !strings.Contains(string(body), tt.body) {
			t.Errorf("%s with %q: %d %s", tt.path, tt.secret, response.StatusCode, body)
		}
	}
	if fmt.Sprint(head(t, pool, "prj_a").Epoch) != "1" {
		t.Error("a forgotten position raised the epoch")
	}
}
