package snapshot

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/blob"
	"svc/shared/fault"

	"google.golang.org/protobuf/proto"
)

// DamagedError says that the store does not hold an object of a snapshot as it was written. A store that cannot be used
// is none: it may hold the object all the same.
type DamagedError struct {
	Part   *recordpb.Part
	Reason string
	Err    error // NOT_FOUND where the object is gone
}

func (e *DamagedError) Error() string { return "object " + e.Part.Key + " " + e.Reason }

// Unwrap returns why the object could not be read, where that is what is wrong.
func (e *DamagedError) Unwrap() error { return e.Err }

// present checks that the store has a part, and all of it.
func present(ctx context.Context, store blob.Store, part *recordpb.Part) error {
	info, err := store.Head(ctx, part.Key)
	if err != nil {
		return absent(part, err)
	}
	return sized(part, info)
}

// get opens a part of which the store has all, for the caller to close.
func get(ctx context.Context, store blob.Store, part *recordpb.Part) (io.ReadCloser, error) {
	body, info, err := store.Get(ctx, part.Key)
	if err != nil {
		return nil, absent(part, err)
	}
	if err := sized(part, info); err != nil {
		return nil, errors.Join(err, body.Close())
	}
	return body, nil
}

// checkHash reads a part through and compares it with its hash.
func checkHash(ctx context.Context, store blob.Store, part *recordpb.Part) error {
	body, err := get(ctx, store, part)
	if err != nil {
		return err
	}
	defer body.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, body); err != nil {
		return fmt.Errorf("read %s: %w", part.Key, err)
	}
	return hashed(part, sum.Sum(nil))
}

func absent(part *recordpb.Part, err error) error {
	if fault.Is(err, fault.NotFound) {
		return &DamagedError{part, "is gone", err}
	}
	return fmt.Errorf("read %s: %w", part.Key, err)
}

func sized(part *recordpb.Part, info blob.Info) error {
	if info.Size != int64(part.Size) {
		return &DamagedError{part, fmt.Sprintf("has %d bytes instead of %d", info.Size, part.Size), nil}
	}
	return nil
}

func hashed(part *recordpb.Part, sum []byte) error {
	if !bytes.Equal(sum, part.Sha256) {
		return &DamagedError{part, "does not have the SHA-256 it was written with", nil}
	}
	return nil
}

// CheckPresent checks that all objects of a snapshot are there, with the sizes they should have. One that is not is a DamagedError.
func (w *Writer) CheckPresent(ctx context.Context, ref Ref) error {
	m, err := Open(ctx, w.Blobs, ref.Log, ref.Manifest)
	if err != nil {
		return err
	}
	for _, part := range parts(m) {
		if err := present(ctx, w.Blobs, part); err != nil {
			return err
		}
	}
	return nil
}

// VerifyOrForget reads through a snapshot that somebody could not load. Where it is not whole all of the log's are forgotten, and the
// next Write begins from nothing; that it was not whole is the DamagedError returned.
func (w *Writer) VerifyOrForget(ctx context.Context, ref Ref) error {
	return w.forget(ctx, ref.Log, w.Verify(ctx, ref))
}

// forget has nothing be built on the snapshots of a log where one was found not to be whole, and returns that error.
func (w *Writer) forget(ctx context.Context, log string, err error) error {
	var damaged *DamagedError
	if errors.As(err, &damaged) {
		return errors.Join(err, w.Source.Forget(ctx, log))
	}
	return err
}

// Verify checks that a snapshot is whole: all of its objects are read and compared with their hashes. One that is not as
// it was written is a DamagedError.
func (w *Writer) Verify(ctx context.Context, ref Ref) error {
	if err := checkHash(ctx, w.Blobs, ref.Manifest); err != nil {
		return err
	}
	m, err := Open(ctx, w.Blobs, ref.Log, ref.Manifest)
	if err != nil {
		return err
	}
	if At(m) != ref.Position {
		return fmt.Errorf("the manifest of %s at %s leads to %s", ref.Log, ref.Position, At(m))
	}
	for _, part := range m.Segments {
		if err := checkHash(ctx, w.Blobs, part); err != nil {
			return err
		}
	}
	for _, part := range parts(m) {
		if part != m.State && part != m.Tail {
			continue
		}
		if err := readPart(ctx, w.Blobs, part, discard); err != nil {
			return err
		}
	}
	return nil
}

func discard(record.Kind, proto.Message) error { return nil }
