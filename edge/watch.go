package edge

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"svc/edge/store"
	"svc/replication/stream"
	"svc/shared/telemetry"
)

// watch keeps the alarms of the edge as a whole, and takes requests to rebuild what it holds.
type watch struct {
	dir    string
	status status
	store  *store.Store
	stream *stream.Conn
	alarms *telemetry.Alarms
	logger *slog.Logger

	rebuild  rebuild
	diskFull bool
	detached time.Time // since when no messages come; zero while they do
}

const (
	watchEvery = time.Second
	// streamAlarmAfter is how long the stream may be unreachable before that is an alarm.
	streamAlarmAfter = 10 * time.Second
)

func (w *watch) run(ctx context.Context) error {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		w.listen()
		w.follow(time.Now())
		w.disk()
		w.rebuild.handle(w.dir, w.status.follower, w.logger)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// listen raises the alarm for silence. An edge that has just started and never heard core has only begun to listen.
func (w *watch) listen() {
	silence, stale := w.status.Stale()
	detail := fmt.Sprintf("neither a heartbeat nor an answer has come for %s; what this edge holds is served, marked as stale, "+
		"and private reads end once permissions are too old", silence.Round(time.Second))
	w.alarms.When(stale && silence > staleAfter, telemetry.CoreSilent, "", detail)
}

// follow raises the alarm while changes come only by asking core. A lost connection is known at once; a server that hangs
// shows only in the stream.
func (w *watch) follow(now time.Time) {
	connected := w.stream.Connected()
	switch {
	case connected && w.status.follower.Attached():
		w.detached = time.Time{}
	case w.detached.IsZero():
		w.detached = now
	}
	why := "NATS cannot be reached from this edge, whose reports reach no one"
	if connected {
		why = "NATS can be reached, but its stream cannot be followed"
	}
	w.alarms.When(!w.detached.IsZero() && now.Sub(w.detached) >= streamAlarmAfter, telemetry.StreamAway, "",
		why+"; the edge asks core for changes, which come some seconds late")
}

// disk raises the alarm for a disk that is nearly full: less than twice what must stay free. A quarter more than that must be
// free for the alarm to end.
func (w *watch) disk() {
	h, err := w.store.Health()
	if err != nil {
		w.logger.Warn("the edge cannot tell how full its disk is", "error", err)
		return
	}
	bound := 2 * h.Keep
	if w.diskFull {
		bound += bound / 4
	}
	w.diskFull = h.FreeKnown && h.Free < bound
	taking := "it takes changes until"
	if h.Free < h.Keep {
		taking = "it takes no changes since"
	}
	w.alarms.When(w.diskFull, telemetry.DiskFull, "", fmt.Sprintf("%d bytes are free; %s less than %d are (SVC_EDGE_MIN_FREE); reads go on",
		h.Free, taking, h.Keep))
}

// damaged is called by the store for files that do not hold what was written. Only a new store ends the alarm.
func (e *Edge) damaged(detail string) {
	e.alarms.Set(telemetry.StoreDiverged, "", detail+"; stop this edge, run `edge rebuild --from-nothing` and start it again")
}
