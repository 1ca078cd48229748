package telemetry

import (
	"bytes"
	"strings"
	"testing"
	"time"
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

func TestLoggerWritesDurationsWithTheirUnit(t *testing.T) {
	for _, c := range []struct {
		took time.Duration
		want string
	}{{6346927, "6.3ms"}, {36517 * time.Millisecond, "36.5s"}, {2 * time.Minute, "2m0s"}, {0, "0s"}, {999, "1µs"}, {-6346927, "-6.3ms"}} {
		for _, format := range []string{"json", "text"} {
			var out bytes.Buffer
			l, err := Config{"info", format}.Logger(&out, "edge")
			if err != nil {
				t.Fatal(err)
			}
			l.Info("done", "took", c.took)
			json, text := `"took":"`+c.want+`"`, "took="+c.want
			if got := out.String(); !strings.Contains(got, json) && !strings.Contains(got, text) {
				t.Errorf("%s as %s: %s", c.took, c.want, got)
			}
		}
	}
}
