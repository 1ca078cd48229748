package publish

import (
	"errors"
	"time"

	"svc/replication/record"
	"svc/replication/stream"
	"svc/shared/telemetry"
)

// stalledTries is how many failures in a row make a log stalled where the reason may pass by itself.
const stalledTries = 5

// leftTries is how many failures another relay has for what this one may not send: some ten seconds.
const leftTries = 15

// report raises the alarm for a log that cannot be sent, with what an operator can do.
func (r *Relay) report(log string, tries int, err error) {
	var corrupt *record.CorruptError
	var unknown *record.UnknownError
	var held *record.VersionLimitError
	switch {
	case errors.As(err, &corrupt):
		r.Alarms.Set(telemetry.RelayStalled, log, "its rows in the database contradict their digest; restore the rows named here from "+
			"a backup, the relay then goes on by itself: "+err.Error())
	case errors.As(err, &unknown):
		r.Alarms.Set(telemetry.RelayStalled, log, "a newer core wrote to it; upgrade this core: "+err.Error())
	case errors.As(err, &held) && tries >= leftTries:
		r.Alarms.Set(telemetry.RelayStalled, log, "no core may send it: once every edge reads that version, start a core without "+
			"SVC_RECORD_VERSION: "+err.Error())
	case errors.As(err, &held):
		r.Log.Debug("a log is left to another relay", "log", log, "error", err)
	case errors.Is(err, stream.ErrDisconnected) && !r.Stream.Connected(): // there is an alarm of its own for that
	case tries >= stalledTries:
		r.Alarms.Set(telemetry.RelayStalled, log, err.Error())
	default:
		r.Log.Debug("a log is not relayed yet; trying again", "log", log, "tries", tries, "error", err)
	}
}

// watchStream keeps the alarm about the stream's absence.
func (r *Relay) watchStream() {
	switch {
	case r.Stream.Connected():
		r.unreachableSince = time.Time{}
		r.Alarms.Clear(telemetry.StreamAway, "")
	case r.unreachableSince.IsZero():
		r.unreachableSince = time.Now()
	case time.Since(r.unreachableSince) > r.Timing.AlarmAfter:
		r.Alarms.Set(telemetry.StreamAway, "", "NATS cannot be reached from this core; what is published is sent once it is back")
	}
}
