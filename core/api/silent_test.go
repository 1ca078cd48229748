package api_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/core/api"
	"svc/core/postgres"
	"svc/deploy/local/localtest"
	"svc/shared/fault"
)

// silentTime is how long a server of these tests works on a request. Without that bound it would wait for good.
const silentTime = time.Second

// onServer is a bed over a database server of its own.
func onServer(t *testing.T, edit ...func(*api.Config)) (*bed, *localtest.Server) {
	server := localtest.StartPostgres(t)
	if err := postgres.Migrate(t.Context(), server.URL); err != nil {
		t.Fatal(err)
	}
	pool, err := postgres.Open(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	b := bedOn(t, pool, edit...)
	b.furnish()
	return b, server
}

// TestSilentDatabaseIsUnavailable: while the database hangs without a word, everything that needs it is 503 with
// Retry-After within its time, connection after connection, and all is as before once the database goes on.
func TestSilentDatabaseIsUnavailable(t *testing.T) {
	t.Parallel()
	b, server := onServer(t)
	api.SetTimes(b.api, silentTime)
	resume := server.Pause(t)
	asked := []struct{ method, path, body, header string }{
		{"GET", "/v1/auth/whoami", "", ""},
		{"GET", "/v1/projects/site/pin", "", ""},
		{"PUT", "/v1/projects/site/pin", `{"release":1}`, ""},
		{"POST", sets, `{"title":"x"}`, ""},
		{"POST", sets, `{"title":"x"}`, "Idempotency-Key: k"},
		{"GET", "/v1/projects/site/collections/posts/entries", "", ""},
		{"GET", "/v1/projects/nothing/collections/posts/entries", "", ""},
		{"GET", "/v1/projects/site/collections/posts/entries", "", "svc-min-release: 1"},
		{"GET", "/v1/projects/site/collections/secrets/entries", "", ""},
		{"GET", "/v1/projects/site/collections", "", ""},
		{"POST", "/v1/projects/site/schema/diff", `{"collections":[]}`, ""},
	}
	for range 3 { // more requests than the pool has connections
		var answers []<-chan answer
		for _, c := range asked {
			var headers []string
			if c.header != "" {
				headers = append(headers, c.header)
			}
			var in io.Reader
			if c.body != "" {
				in = strings.NewReader(c.body)
			}
			answers = append(answers, b.later(b.owner, c.method, c.path, in, headers...))
		}
		for i, answered := range answers {
			if a := (<-answered).refused(fault.Unavailable); a.header.Get("Retry-After") == "" {
				t.Errorf("%s %s: a 503 says when to try again", asked[i].method, asked[i].path)
			}
		}
	}
	if b.logs.find(`"level":"ERROR"`) != "" || b.logs.find("a caller went away") != "" {
		t.Error("a silent database is logged as what it is not: ", b.logs.find("a caller went away"), b.logs.find(`"level":"ERROR"`))
	}
	resume()
	eventually(t, "as before", func() bool {
		a, err := b.try(b.owner, "POST", sets, strings.NewReader(`{"title":"x"}`), "Idempotency-Key: k")
		return err == nil && a.status == 201
	})
	eventually(t, "answered lists as before", func() bool {
		a, err := b.try("", "GET", "/v1/projects/site/collections/posts/entries", nil)
		return err == nil && a.status == 200
	})
}

// TestSilenceAtACommitIsUncertain: who was being served as the database fell silent is told what is known, and no more.
func TestSilenceAtACommitIsUncertain(t *testing.T) {
	t.Parallel()
	server := localtest.StartPostgres(t)
	pool, err := postgres.Open(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	const untilCommit = 5 * silentTime // enough to come as far as that
	ctx, end := api.Limited(t.Context(), untilCommit)
	defer end()
	var resume func()
	err = api.Late(ctx, postgres.InTx(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `CREATE TABLE t (n int)`)
		resume = server.Pause(t)
		return err
	}))
	if f := fault.As(err); f.Code != fault.Unavailable || !strings.Contains(f.Detail, "whether it took effect") || f.RetryAfter == 0 {
		t.Errorf("%+v", f)
	}
	resume()
}

// TestBodiesTakeNoTimeOfTheWork: a body may take longer than the work on it.
func TestBodiesTakeNoTimeOfTheWork(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const work = 3 * silentTime
	api.SetTimes(b.api, work)
	reader, writer := io.Pipe()
	answered := b.later(b.owner, "POST", sets, reader)
	for _, part := range []string{`{"title"`, `:`, `"Late"`, `}`} {
		_, err := io.WriteString(writer, part)
		b.ok(err)
		<-time.After(work / 3)
	}
	b.ok(writer.Close())
	(<-answered).is(201)
}
