package store

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"svc/replication/follow"
	"svc/replication/follow/followtest"
	"svc/shared/read/readtest"
)

func TestConformance(t *testing.T) {
	readtest.Run(t, func(t *testing.T) readtest.Subject { return newSubject(t, vfs.NewMem()) })
}

func TestFollows(t *testing.T) {
	followtest.Run(t, func(t *testing.T) follow.Applier { return newSubject(t, vfs.NewMem()).s })
}
