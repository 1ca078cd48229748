package follow

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"svc/replication/stream"
)

func TestAnInterruptionIsSaidOnceAndItsEndOnce(t *testing.T) {
	var out bytes.Buffer
	f := &Follower{cfg: Config{Logger: slog.New(slog.NewTextHandler(&out, nil)), Metrics: NewMetrics(prometheus.NewRegistry())}, ask: make(chan struct{}, 1)}
	for range 2 {
		for range 3 {
			f.onDetached(errors.New("no answer"))
		}
		for range 2 {
			if err := f.onAttached(t.Context(), stream.Attachment{How: stream.Resumed}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := strings.Count(out.String(), "is interrupted"); n != 2 {
		t.Errorf("said %d times: %s", n, out.String())
	}
	if n := strings.Count(out.String(), "followed again"); n != 2 {
		t.Errorf("over %d times: %s", n, out.String())
	}
}
