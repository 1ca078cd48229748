package cli

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	// Git reads the files of a test alone.
	for _, name := range []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"} {
		if err := os.Setenv(name, os.DevNull); err != nil {
			panic(err)
		}
	}
	var err error
	if repositories, err = os.MkdirTemp("", "svc-cli-"); err != nil {
		panic(err)
	}
	exit := m.Run()
	if err := os.RemoveAll(repositories); err != nil {
		panic(err)
	}
	os.Exit(exit)
}
