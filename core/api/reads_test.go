package api_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"svc/core/api"
	"svc/core/preview/previewtest"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// TestReadScripts replays what every server of public reads must answer.
func TestReadScripts(t *testing.T) {
	readtest.Replay(t, func(t *testing.T) readtest.Site {
		pool := database(t)
		subject := previewtest.New(pool)
		cfg := config(pool, &logs{})
		cfg.Reader = &read.Engine{Store: subject.Store(), Keys: subject.Keys(), Now: time.Now, LocalOrigins: true}
		server := httptest.NewServer(api.New(cfg))
		t.Cleanup(server.Close)
		return readtest.HTTPSite(subject, server.URL)
	})
}
