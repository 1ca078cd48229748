package preview_test

import (
	"testing"

	"svc/core/postgres/postgrestest"
	"svc/core/preview/previewtest"
	"svc/shared/read/readtest"
)

func TestReadsFromPostgreSQL(t *testing.T) {
	t.Parallel()
	readtest.Run(t, func(t *testing.T) readtest.Subject { return previewtest.New(postgrestest.Open(t)) })
}

func TestScripts(t *testing.T) {
	t.Parallel()
	readtest.Replay(t, func(t *testing.T) readtest.Site { return readtest.EngineSite(previewtest.New(postgrestest.Open(t))) })
}

func TestPreviewsReadAsTheirReleasesWill(t *testing.T) {
	t.Parallel()
	readtest.RunPreviews(t, previewtest.New(postgrestest.Open(t)))
}

func TestAPreviewedListHasTheFirst5000(t *testing.T) {
	t.Parallel()
	readtest.PreviewCap(t, previewtest.New(postgrestest.Open(t)), 5000)
}
