package record

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// maxFrame is the largest envelope, body included.
const maxFrame = MaxBody + 64<<10

// WriteFrame writes an envelope behind its length (unsigned varint), as answers to a gap carry them.
func WriteFrame(w io.Writer, envelope []byte) error {
	if _, err := w.Write(binary.AppendUvarint(nil, uint64(len(envelope)))); err != nil {
		return err
	}
	_, err := w.Write(envelope)
	return err
}

// ReadFrame reads what WriteFrame wrote. It returns io.EOF where the input ends between two frames and
// io.ErrUnexpectedEOF where it ends inside one. Memory grows with what arrives, not with what the length claims.
func ReadFrame(r *bufio.Reader) ([]byte, error) {
	if _, err := r.Peek(1); err != nil {
		return nil, err
	}
	size, err := binary.ReadUvarint(r)
	if errors.Is(err, io.EOF) {
		return nil, io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	if size > maxFrame {
		return nil, fmt.Errorf("a frame of %d bytes is larger than %d", size, maxFrame)
	}
	var b bytes.Buffer
	b.Grow(int(min(size, 1<<20)))
	if _, err := io.CopyN(&b, r, int64(size)); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b.Bytes(), nil
}
