package publish

import (
	"errors"

	"svc/replication/record"
	"svc/replication/stream"
)

// report logs a log that cannot be sent, and what an operator can do.
func (r *Relay) report(log string, tries int, err error) {
	attrs := []any{"log", log, "tries", tries, "error", err}
	var corrupt *record.CorruptError
	var unknown *record.UnknownError
	switch {
	case errors.As(err, &corrupt):
		r.Log.Error("a log is not relayed: its rows in the database contradict their digest; restore the rows named in the "+
			"error from a backup, the relay then goes on by itself", attrs...)
	case errors.As(err, &unknown):
		r.Log.Error("a log is not relayed: a newer core wrote to it; upgrade this core", attrs...)
	case errors.Is(err, stream.ErrDisconnected):
		r.Log.Warn("a log waits for the stream to be reachable", attrs...)
	default:
		r.Log.Warn("a log is not relayed yet; trying again", attrs...)
	}
}
