package store

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"svc/shared/read/readtest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	readtest.Run(t, func(t *testing.T) readtest.Subject { return newSubject(t, vfs.NewMem()) })
}

func TestScripts(t *testing.T) {
	t.Parallel()
	readtest.Replay(t, func(t *testing.T) readtest.Site { return readtest.EngineSite(newSubject(t, vfs.NewMem())) })
}
