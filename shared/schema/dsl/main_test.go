package dsl

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	RunChild()
	os.Exit(m.Run())
}
