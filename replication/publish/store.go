package publish

import (
	"bytes"
	"context"
	"errors"
	"time"

	"svc/replication/record"
	"svc/shared/blob"
)

const (
	// stores is how many large changes go to object storage at once. They are fewer than the workers: where object
	// storage hangs, small changes of other logs, revocations among them, go on.
	stores = 8
	// storePause is how long a log waits that was put off.
	storePause = time.Second
)

// errStoring puts a log off whose next change is large, while as many as may are being stored.
var errStoring = errors.New("other large changes are being stored")

// store puts the body of a large change into object storage.
func (r *Relay) store(ctx context.Context, log string, e record.Encoded) error {
	select {
	case r.storing <- struct{}{}:
		defer func() { <-r.storing }()
	default:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.putOff[log] = struct{}{}
		return errStoring
	}
	ctx, cancel := context.WithTimeout(ctx, blobTimeout)
	defer cancel()
	return r.Blobs.Put(ctx, e.BlobKey, bytes.NewReader(e.Blob), int64(len(e.Blob)), blob.PutOptions{})
}

// mustWait reports whether a log was put off and would be again: its large change is not even read then, since
// reading and packing the changes of many logs again and again takes the processor from all others.
func (r *Relay) mustWait(log string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, was := r.putOff[log]; !was {
		return false
	}
	if len(r.storing) == cap(r.storing) {
		return true
	}
	delete(r.putOff, log)
	return false
}
