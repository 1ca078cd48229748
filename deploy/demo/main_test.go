package demo

import (
	"os"
	"testing"

	"svc/shared/schema/dsl"
)

func TestMain(m *testing.M) {
	dsl.RunChild()
	os.Exit(m.Run())
}
