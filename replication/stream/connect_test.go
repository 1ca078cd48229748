package stream

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"svc/deploy/local/localtest"
	"svc/replication/record"
)

func TestCallsFailClearlyWithoutServerOrStream(t *testing.T) {
	server := localtest.StartNATS(t)
	c := connect(t, server.URL)
	until(t, "connected", c.Connected)
	if _, _, err := c.Last(t.Context(), "prj_a"); !errors.Is(err, ErrNoStream) {
		t.Errorf("Last: %v", err)
	}
	if _, err := c.Append(t.Context(), "prj_a", at(1), record.Stamp{}, nil, 0); !errors.Is(err, ErrNoStream) {
		t.Errorf("Append: %v", err)
	}
	if err := c.Lasts(t.Context(), nil); !errors.Is(err, ErrNoStream) {
		t.Errorf("Lasts: %v", err)
	}
	server.Stop(t)
	until(t, "disconnected", func() bool { return !c.Connected() })
	if _, err := c.Append(t.Context(), "prj_a", at(1), record.Stamp{}, nil, 0); !errors.Is(err, ErrDisconnected) {
		t.Errorf("Append: %v", err)
	}
	if err := c.Beat(nil); !errors.Is(err, ErrDisconnected) {
		t.Errorf("Beat: %v", err)
	}
}

func TestConfigReportsEveryFaultAtOnce(t *testing.T) {
	_, err := Connect(Config{URL: "nowhere", Replicas: 2, KeepFor: -1, ReportTTL: 1}, slog.Default())
	for _, name := range []string{"SVC_NATS_URL", "SVC_NATS_REPLICAS", "SVC_NATS_KEEP_FOR", "SVC_NATS_REPORT_TTL"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is missing in %v", name, err)
		}
	}
}

func TestHeartbeatsArriveAlsoAfterAReconnect(t *testing.T) {
	server := localtest.StartNATS(t)
	listener, sender := connect(t, server.URL), connect(t, server.URL)
	beats := make(chan string, 100)
	stop, err := listener.Beats(func(b []byte) { beats <- string(b) })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	heard := func(text string) bool {
		if sender.Connected() {
			if err := sender.Beat([]byte(text)); err != nil {
				return false
			}
		}
		select {
		case b := <-beats:
			return b == text
		case <-time.After(20 * time.Millisecond):
			return false
		}
	}
	until(t, "a beat arrived", func() bool { return heard("one") })
	server.Kill(t)
	server.Start(t)
	until(t, "a beat arrived after the restart", func() bool { return heard("two") })
}

func TestReportsExpire(t *testing.T) {
	c := open(t, localtest.NATS(t))
	until(t, "the reports are there", func() bool { // until one is forgotten before it is read
		for _, r := range []struct{ edge, text string }{{"edge-1", "old"}, {"edge-1", "new"}, {"edge-2", "hello"}} {
			if err := c.Report(t.Context(), r.edge, []byte(r.text)); err != nil {
				t.Fatal(err)
			}
		}
		got, err := c.Reports(t.Context())
		return err == nil && len(got) == 2 && string(got["edge-1"].Data) == "new" && got["edge-2"].Key == "edge-2" && !got["edge-2"].At.IsZero()
	})
	until(t, "the reports expired", func() bool {
		got, err := c.Reports(t.Context())
		return err == nil && len(got) == 0
	})
}

func TestWatchTellsEveryChange(t *testing.T) {
	server := localtest.StartNATS(t)
	c := connect(t, server.URL)
	until(t, "connected", c.Connected)
	states := make(chan bool, 16)
	stop := c.Watch(func(up bool) { states <- up })
	expect := func(want bool) {
		t.Helper()
		select {
		case got := <-states:
			if got != want {
				t.Fatalf("told %v", got)
			}
		case <-time.After(patience):
			t.Fatalf("not told %v", want)
		}
	}
	expect(true)
	server.Stop(t)
	expect(false)
	server.Start(t)
	expect(true)
	stop()
	c.Close()
	if len(states) > 0 {
		t.Fatal("told after stop")
	}
}
