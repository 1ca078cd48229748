package telemetry

import (
	"bytes"
	"strings"
	"testing"
)

func TestLoggerRefusesUnknownSettings(t *testing.T) {
	for _, c := range []Config{{"loud", "json"}, {"info", "xml"}} {
		if _, err := c.Logger(&bytes.Buffer{}, "core"); err == nil || !strings.Contains(err.Error(), "must be") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestLoggerWritesAtItsLevel(t *testing.T) {
	var out bytes.Buffer
	l, err := Config{"warn", "json"}.Logger(&out, "core")
	if err != nil {
		t.Fatal(err)
	}
	l.Info("quiet")
	l.Warn("loud")
	if got := out.String(); strings.Contains(got, "quiet") || !strings.Contains(got, `"program":"core"`) {
		t.Fatal(got)
	}
}
