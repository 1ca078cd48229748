package api

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// How much of an unwanted body is read and discarded, in bytes, and how long that may take.
const (
	maxDrain      = 64 << 20 // of an authenticated caller, at the pace of any body
	strangerDrain = 16 << 20 // of others
	strangerTime  = 10 * time.Second

	// A short rest that arrives at once is read, so that the connection can be kept.
	promptDrain = 256 << 10
	promptTime  = 100 * time.Millisecond
)

// earlyWriter wraps the writer of a request with a body. An answer that is sent before the whole body has arrived closes the
// connection: the rest of the body would be read as the next request.
type earlyWriter struct {
	http.ResponseWriter
	request *http.Request // as it came
	body    *pacedBody
	early   bool // the answer went out before the end of the body
}

// Unwrap returns the wrapped writer, for http.ResponseController.
func (w *earlyWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush implements http.Flusher.
func (w *earlyWriter) Flush() {
	// A connection that cannot be flushed is closed already.
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// WriteHeader implements http.ResponseWriter. A chunked body may have come with a length too, which net/http does not
// report: such a connection is closed in any case (RFC 9112, section 6.3).
func (w *earlyWriter) WriteHeader(status int) {
	if status >= http.StatusOK {
		w.early = !w.body.ended && !w.takePrompt()
		if w.early || w.request.ContentLength < 0 {
			w.Header().Set("Connection", "close")
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// takePrompt takes a short rest of the body that is there already, and reports whether that was all of it.
func (w *earlyWriter) takePrompt() bool {
	rest := w.request.ContentLength - w.body.read
	if w.request.ContentLength < 0 || rest > promptDrain || w.body.failed || w.waits() {
		return false
	}
	if w.body.conn.SetReadDeadline(time.Now().Add(promptTime)) != nil {
		return false
	}
	n, err := io.Copy(io.Discard, w.body.ReadCloser)
	w.body.read += n
	w.body.ended = err == nil
	return w.body.ended
}

// waits reports whether the caller waits for a go-ahead, which does not come.
func (w *earlyWriter) waits() bool {
	return w.request.Header.Get("Expect") != "" && w.body.read == 0
}

// dropRest takes what still comes of a body off the line once the answer is sent: a caller who is sending would
// otherwise meet a broken connection instead of the answer. Bodies that are too large are cut off.
func (w *earlyWriter) dropRest() {
	if !w.early {
		return
	}
	w.Flush()
	most := int64(strangerDrain)
	if w.body.known {
		most = maxDrain
	}
	if w.body.failed || w.waits() || w.request.ContentLength-w.body.read > most {
		// The server itself looks for the end of the body, and is not to wait for it.
		_ = w.body.conn.SetReadDeadline(time.Now())
		return
	}
	// What cannot be read is not there to be dropped.
	if !w.body.known {
		if w.body.conn.SetReadDeadline(time.Now().Add(strangerTime)) == nil {
			_, _ = io.CopyN(io.Discard, w.body.ReadCloser, most)
		}
		return
	}
	w.body.begun, w.body.read, w.body.clock = time.Now(), 0, nil
	if _, err := io.CopyN(io.Discard, w.body, most); !errors.Is(err, io.EOF) {
		_ = w.body.conn.SetReadDeadline(time.Now())
	}
}
