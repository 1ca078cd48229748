package preview_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"svc/core/postgres"
	"svc/core/preview/previewtest"
	"svc/deploy/local/localtest"
	"svc/shared/read/readtest"
)

func database(t *testing.T) *pgxpool.Pool {
	t.Helper()
	key, err := postgres.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	url := localtest.PostgresFrom(t, key, postgres.Migrate)
	pool, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func TestStore(t *testing.T) {
	readtest.Run(t, func(t *testing.T) readtest.Subject { return previewtest.New(database(t)) })
}

func TestScripts(t *testing.T) {
	readtest.Replay(t, func(t *testing.T) readtest.Site { return readtest.EngineSite(previewtest.New(database(t))) })
}
