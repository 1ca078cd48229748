package snapshot

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/blob"
)

const contentType = "application/zstd"

// spool takes bodies and keeps them, compressed, in a temporary file until they are put into the store as one part.
type spool struct {
	file *os.File
	out  *bufio.Writer
	sum  hash.Hash
	zstd *zstd.Encoder
	raw  int64 // bytes before compression
}

func newSpool(dir string) (*spool, error) {
	file, err := os.CreateTemp(dir, "svc-snapshot-*")
	if err != nil {
		return nil, fmt.Errorf("spool a snapshot part: %w", err)
	}
	s := &spool{file: file, out: bufio.NewWriterSize(file, 256<<10), sum: sha256.New()}
	s.zstd, err = zstd.NewWriter(io.MultiWriter(s.out, s.sum), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("compress a snapshot part: %w", err), s.discard())
	}
	return s, nil
}

// add appends one body.
func (s *spool) add(kind record.Kind, body proto.Message) error {
	plain, err := record.EncodeBody(body)
	if err != nil {
		return fmt.Errorf("encode a %s: %w", kind, err)
	}
	frame, err := proto.Marshal(&recordpb.Framed{Kind: string(kind), Body: plain})
	if err != nil {
		return fmt.Errorf("frame a %s: %w", kind, err)
	}
	s.raw += int64(len(frame))
	if err := record.WriteFrame(s.zstd, frame); err != nil {
		return fmt.Errorf("spool a %s: %w", kind, err)
	}
	return nil
}

// put ends the part and writes it into the store under the key made from its hash, from where it must read back the same:
// what counts as written may be all that is left of a history one day.
func (s *spool) put(ctx context.Context, store blob.Store, key func(sum []byte) string) (*recordpb.Part, error) {
	if err := errors.Join(s.zstd.Close(), s.out.Flush()); err != nil {
		return nil, fmt.Errorf("spool a snapshot part: %w", err)
	}
	size, err := s.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, fmt.Errorf("spool a snapshot part: %w", err)
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("spool a snapshot part: %w", err)
	}
	sum := s.sum.Sum(nil)
	part := &recordpb.Part{Key: key(sum), Sha256: sum, Size: uint64(size)}
	if err := store.Put(ctx, part.Key, s.file, size, blob.PutOptions{ContentType: contentType}); err != nil {
		return nil, fmt.Errorf("write %s: %w", part.Key, err)
	}
	return part, checkHash(ctx, store, part)
}

// discard removes the temporary file.
func (s *spool) discard() error {
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}
