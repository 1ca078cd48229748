package snapshot

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/blob"
)

// window bounds what compression refers back to, and with it the memory that reading a part takes.
const window = 4 << 20

// readPart fetches a part and emits its bodies; only after the last is it known that all were right.
func readPart(ctx context.Context, store blob.Store, part *recordpb.Part, emit Emit) error {
	body, err := get(ctx, store, part)
	if err != nil {
		return err
	}
	defer body.Close()
	proved := &provedReader{from: body, sum: sha256.New()}
	decoding := decodePart(proved, emit)
	if ctx.Err() != nil {
		return fmt.Errorf("read %s: %w", part.Key, ctx.Err())
	}
	if _, err := io.Copy(io.Discard, proved); err != nil {
		return fmt.Errorf("read %s: %w", part.Key, err)
	}
	if err := hashed(part, proved.sum.Sum(nil)); err != nil || decoding == nil {
		return err
	}
	return fmt.Errorf("read %s: %w", part.Key, decoding)
}

// decodePart emits the bodies in the bytes of a part.
func decodePart(from io.Reader, emit Emit) error {
	plain, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window))
	if err != nil {
		return err
	}
	defer plain.Close()
	frames := bufio.NewReaderSize(plain, 256<<10)
	for {
		frame, err := record.ReadFrame(frames)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var framed recordpb.Framed
		if err := proto.Unmarshal(frame, &framed); err != nil {
			return fmt.Errorf("a frame: %w", err)
		}
		body, err := record.DecodeBody(record.Kind(framed.Kind), framed.Body)
		if err != nil {
			return err
		}
		if err := emit(record.Kind(framed.Kind), body); err != nil {
			return err
		}
	}
}

// provedReader hashes what passes through it.
type provedReader struct {
	from io.Reader
	sum  hash.Hash
}

func (r *provedReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.sum.Write(p[:n])
	return n, err
}
