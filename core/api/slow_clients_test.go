package api

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// deadlines is a connection that notes what it is told.
type deadlines struct {
	http.ResponseWriter
	read, write int
}

func (d *deadlines) SetReadDeadline(time.Time) error  { d.read++; return nil }
func (d *deadlines) SetWriteDeadline(time.Time) error { d.write++; return nil }

// TestBodyIsReadAgainAfterItsEnd: the server looks after the connection once the body came whole, to see whether the
// caller goes away. A deadline then would make it look so.
func TestBodyIsReadAgainAfterItsEnd(t *testing.T) {
	t.Parallel()
	conn := &deadlines{ResponseWriter: httptest.NewRecorder()}
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("a body"))
	body := defaultPace.limit(conn, r)
	if got, err := io.ReadAll(r.Body); err != nil || string(got) != "a body" || !body.ended {
		t.Fatalf("read %q, %v, and whole is %v; the body was wanted", got, err, body.ended)
	}
	read, write := conn.read, conn.write
	if read == 0 || write == 0 {
		t.Fatalf("%d deadlines for reading and %d for writing while the body came; both were wanted", read, write)
	}
	for range 2 {
		if n, err := r.Body.Read(make([]byte, 10)); n != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("after the end: %d bytes, %v; the end again was wanted", n, err)
		}
	}
	if conn.read != read || conn.write != write || !body.ended {
		t.Errorf("after the end: %d more deadlines for reading and %d for writing, whole is %v; none was wanted",
			conn.read-read, conn.write-write, body.ended)
	}
}
