package followtest_test

import (
	"testing"

	"svc/replication/follow"
	"svc/replication/follow/followtest"
)

func TestStore(t *testing.T) {
	followtest.Run(t, func(*testing.T) follow.Applier { return &followtest.Store{} })
}
