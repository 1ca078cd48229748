package changelog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"svc/replication/publish"
	"svc/replication/record"
	"svc/shared/fault"
)

// answerBytes ends an answer about changes early; the edge asks again from where it is then.
const answerBytes = 64 << 20

func (s *Internal) changes(w http.ResponseWriter, r *http.Request) error {
	log := r.PathValue("log")
	at, err := record.ParsePosition(r.URL.Query().Get("after"))
	if err != nil {
		return fault.Invalid("after", "%v", err)
	}
	var newest *record.Stamp
	if told := r.URL.Query().Get("newest"); told != "" {
		stamp, err := record.ParseStamp(told)
		if err != nil {
			return fault.Invalid("newest", "%v", err)
		}
		newest = &stamp
	}
	t, err := s.Gap(r.Context(), log, at, newest)
	if err != nil {
		return err
	}
	w.Header().Set(HeadHeader, t.Head.String())
	w.Header().Set("Cache-Control", "no-store")
	if t.Proof != publish.Proved {
		w.WriteHeader(http.StatusConflict)
		return nil
	}
	frames, err := s.frames(t.Changes)
	if held := (*record.VersionLimitError)(nil); errors.As(err, &held) {
		return &fault.Error{Code: fault.Unavailable, Detail: held.Error() + "; ask another core", RetryAfter: time.Second, Err: err}
	}
	if err != nil {
		return fmt.Errorf("encoding changes of log %s: %w", log, err)
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	s.stream(r.Context(), w, log, at, t, frames)
	return nil
}

// stream sends a first reading and those after it. What goes wrong once the answer has begun ends it early; the edge
// asks again, and is told then.
func (s *Internal) stream(ctx context.Context, w io.Writer, log string, at record.Position, t publish.Tail, frames [][]byte) {
	sent := 0
	for len(frames) > 0 {
		for _, f := range frames {
			if err := record.WriteFrame(w, f); err != nil {
				return
			}
			sent += len(f)
		}
		at = t.Changes[len(frames)-1].Position
		if at.Seq >= t.Head.Seq || sent > answerBytes {
			return
		}
		var err error
		if t, err = After(ctx, s.Pool, log, at); err == nil {
			frames, err = s.frames(t.Changes)
		}
		if err != nil {
			s.Log.Warn("an answer to an edge ends early", "log", log, "after", at.String(), "error", err)
			return
		}
	}
}

// frames encodes changes up to the first that cannot be; the error is of the first of all.
func (s *Internal) frames(changes []*record.Change) ([][]byte, error) {
	var frames [][]byte
	for _, c := range changes {
		err := s.Version.Allow(c.Log, c.Position.Seq, c.Body)
		var frame []byte
		if err == nil {
			frame, err = record.Inline(c)
		}
		if err != nil && len(frames) == 0 {
			return nil, err
		}
		if err != nil {
			break
		}
		frames = append(frames, frame)
	}
	return frames, nil
}
