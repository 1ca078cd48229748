package edge

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/shared/content"
	"svc/shared/telemetry"
)

// An edge whose disk is full takes no changes, says so in one alarm for the whole edge, and serves what it holds. It goes
// on by itself once there is room.
func TestAFullDiskIsOneAlarmAndReadsGoOn(t *testing.T) {
	c := startCore(t)
	s := c.site()
	cfg := c.config(t.TempDir())
	e := start(t, cfg)
	until(t, "the edge is ready", func() error { return errors.Join(e.gets("/readyz", "", http.StatusOK), e.quiet()) })
	e.stop()
	cfg.MinFree = 1 << 60
	e = start(t, cfg)
	until(t, "the alarm is on", func() error { return e.alarmed(telemetry.DiskFull, "") })
	s.publish("four")
	until(t, "the log is stopped", func() error {
		if status, _ := e.edge.follower.Log(s.project); status.Trouble == nil {
			return errors.New("it is not")
		}
		return nil
	})
	if list := e.edge.alarms.List(); len(list) != 1 {
		t.Errorf("%v", list)
	}
	e.must(s.path("/posts/entries/one"), "", http.StatusOK)
	e.must(s.path("/posts/entries/four"), "", http.StatusNotFound)
	e.stop()
	cfg.MinFree = 0
	e = start(t, cfg)
	until(t, "the change is there", func() error { return errors.Join(e.gets(s.path("/posts/entries/four"), "", http.StatusOK), e.quiet()) })
}

// An edge to which no messages have come for ten seconds says so, as long as that lasts.
func TestAStreamOutOfReachIsAnAlarm(t *testing.T) {
	c := startCore(t)
	e := start(t, c.config(t.TempDir()))
	attached := func(is bool) func() error {
		return func() error {
			if (e.edge.stream.Connected() && e.edge.follower.Attached()) != is {
				return fmt.Errorf("attached: %t", !is)
			}
			return nil
		}
	}
	until(t, "messages come", attached(true))
	began := time.Now()
	w := &watch{
		status: status{e.edge.follower, began}, stream: e.edge.stream, logger: discard(),
		alarms: telemetry.NewAlarms(telemetry.EdgeAlarms(), nil, discard()),
	}
	after := func(d time.Duration, want int) {
		t.Helper()
		w.follow(began.Add(d))
		if list := w.alarms.List(); len(list) != want || want == 1 && (list[0].Kind != telemetry.StreamAway || !strings.Contains(list[0].Detail, "NATS cannot be reached")) {
			t.Errorf("after %s: %v", d, list)
		}
	}
	after(time.Hour, 0)
	c.nats.Kill(t)
	until(t, "no messages come", attached(false))
	began = began.Add(2 * time.Hour)
	after(0, 0)
	after(streamAlarmAfter-time.Millisecond, 0)
	after(streamAlarmAfter, 1)
	c.nats.Start(t)
	until(t, "messages come again", attached(true))
	after(streamAlarmAfter+time.Millisecond, 0)
}

// What an edge tells of its own figures includes its disk, its store and the stream.
func TestAnEdgeHasFigures(t *testing.T) {
	c := startCore(t)
	e := start(t, c.config(t.TempDir()))
	s := c.site()
	until(t, "a read is answered", func() error { return e.gets(s.path("/posts/entries"), "", http.StatusOK) })
	e.must("/v1/auth/whoami", "", http.StatusTeapot)
	e.must("/healthz", "", http.StatusOK)
	metrics := &running{t: t, base: "http://" + e.edge.admin.Addr().String()}
	body := metrics.must("/metrics", "", http.StatusOK).body
	for _, name := range []string{
		"svc_store_bytes", "svc_store_disk_free_bytes", "svc_store_disk_keep_bytes", "svc_stream_connected", "svc_stream_reconnects_total",
		`svc_edge_requests_total{kind="read",status="2xx"} 1`, `svc_edge_requests_total{kind="forward",status="4xx"}`, "svc_edge_connections",
		`svc_edge_requests_total{kind="other",status="2xx"} 1`, `svc_edge_request_seconds_count{kind="read"}`,
		"svc_follow_silence_seconds", "svc_alarm", "svc_store_building_projects 0", "svc_store_indexing_projects 0", `svc_follow_attachments_total{how="lost"}`,
	} {
		if !strings.Contains(body, "\n"+name) {
			t.Errorf("no %s", name)
		}
	}
}

// command runs `edge` with its arguments for an edge in a directory.
func command(t *testing.T, dir string, args ...string) (code int, out string) {
	t.Helper()
	t.Setenv("SVC_EDGE_DIR", dir)
	var printed bytes.Buffer
	code = Main(t.Context(), args, &printed, &printed)
	return code, printed.String()
}

// `edge rebuild` loads everything again while the edge serves, and waits for that; with --from-nothing it takes the store
// away from an edge that is stopped, and from no other.
func TestTheCommandRebuildsAnEdge(t *testing.T) {
	c := startCore(t)
	s := c.site()
	cfg := c.config(t.TempDir())
	e := start(t, cfg)
	until(t, "the edge is ready", func() error { return e.gets("/readyz", "", http.StatusOK) })
	before := e.must(s.path("/posts/entries"), "", http.StatusOK)
	if code, out := command(t, cfg.Dir, "rebuild", "--wait"); code != 0 || !strings.Contains(out, "done") {
		t.Fatalf("%d: %s", code, out)
	}
	_, asked := c.answers.Asked()
	if asked[s.project] != 1 || asked[s.organization] != 1 {
		t.Errorf("snapshots were asked for %v times", asked)
	}
	if now := e.must(s.path("/posts/entries"), "", http.StatusOK); now.body != before.body {
		t.Errorf("afterwards it serves %s", now.body)
	}
	stranger := string(content.NewID[content.ProjectID]())
	if code, out := command(t, cfg.Dir, "rebuild", "--wait", stranger); code != 1 || !strings.Contains(out, "holds no log "+stranger) {
		t.Errorf("rebuilding a log that is not held: exit code %d: %s", code, out)
	}
	if code, out := command(t, cfg.Dir, "rebuild", "no-log"); code != 1 || !strings.Contains(out, "prj_") {
		t.Errorf("%d: %s", code, out)
	}
	if code, out := command(t, cfg.Dir, "rebuild", "--from-nothing"); code != 1 || !strings.Contains(out, "stop the edge first") {
		t.Errorf("%d: %s", code, out)
	}
	e.stop()
	// A request that is left while the edge is away is carried out after its start.
	if code, out := command(t, cfg.Dir, "rebuild", s.project); code != 0 {
		t.Fatalf("%d: %s", code, out)
	}
	e = start(t, cfg)
	until(t, "the request is done", func() error {
		if _, err := os.Stat(filepath.Join(cfg.Dir, rebuildFile)); !errors.Is(err, fs.ErrNotExist) {
			return errors.New("it is still there")
		}
		return nil
	})
	if _, asked := c.answers.Asked(); asked[s.project] != 2 || asked[s.organization] != 1 {
		t.Errorf("snapshots were asked for %v times", asked)
	}
	e.stop()
	if code, out := command(t, cfg.Dir, "rebuild", "--from-nothing"); code != 0 {
		t.Fatalf("%d: %s", code, out)
	}
	e = start(t, cfg)
	until(t, "it serves again", func() error { return e.gets(s.path("/posts/entries/one"), "", http.StatusOK) })
}
