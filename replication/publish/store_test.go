package publish

import (
	"errors"
	"testing"

	"svc/replication/record"
	"svc/shared/blob/blobtest"
)

// A log whose large change was put off is not read again before object storage takes one more: there is no source here
// that could be asked.
func TestALogThatWasPutOffIsNotReadBeforeThereIsRoom(t *testing.T) {
	r := &Relay{storing: make(chan struct{}, 1), putOff: map[string]struct{}{}, Blobs: &blobtest.Memory{}}
	large := record.Encoded{Blob: []byte("much"), BlobKey: "changes/prj_a/1"}
	r.storing <- struct{}{}
	if err := r.store(t.Context(), "prj_a", large); !errors.Is(err, errStoring) {
		t.Fatalf("with no room the store ends in %v", err)
	}
	if err := r.send(t.Context(), "prj_a"); !errors.Is(err, errStoring) {
		t.Errorf("sending again ends in %v", err)
	}
	if r.mustWait("prj_b") {
		t.Error("a log that was not put off must wait")
	}
	<-r.storing
	if r.mustWait("prj_a") {
		t.Error("with room the log must wait")
	}
	if err := r.store(t.Context(), "prj_a", large); err != nil {
		t.Errorf("with room the store ends in %v", err)
	}
}
