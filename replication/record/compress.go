package record

import (
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"svc/replication/record/recordpb"
)

const (
	// minCompressed is the smallest body worth compressing.
	minCompressed = 512
	// maxRatio bounds what a reader must allocate by what it received. The writer sends a body that would shrink
	// further as it is.
	maxRatio = 256
)

var (
	zstdWriter = sync.OnceValue(func() *zstd.Encoder {
		w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault))
		if err != nil {
			panic(err) // the options are constants
		}
		return w
	})
	zstdReader = sync.OnceValue(func() *zstd.Decoder {
		// An output never outgrows the buffer that decompress allocates after looking at the frame.
		r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true),
			zstd.WithDecoderMaxMemory(MaxBody))
		if err != nil {
			panic(err) // the options are constants
		}
		return r
	})
)

// compress returns the body in the encoding that suits it: zstd where that saves at least an eighth.
func compress(plain []byte) ([]byte, recordpb.Encoding) {
	if len(plain) < minCompressed {
		return plain, recordpb.Encoding_ENCODING_PLAIN
	}
	packed := zstdWriter().EncodeAll(plain, make([]byte, 0, len(plain)/4))
	if len(packed) > len(plain)-len(plain)/8 || len(plain)/maxRatio > len(packed) {
		return plain, recordpb.Encoding_ENCODING_PLAIN
	}
	return packed, recordpb.Encoding_ENCODING_ZSTD
}

// decompress reads one zstd frame that states its size.
func decompress(packed []byte) ([]byte, error) {
	var h zstd.Header
	if err := h.Decode(packed); err != nil {
		return nil, err
	}
	if h.Skippable || !h.HasFCS {
		return nil, errors.New("the frame does not state its size")
	}
	if h.FrameContentSize > MaxBody || h.FrameContentSize/maxRatio > uint64(len(packed)) {
		return nil, fmt.Errorf("the frame of %d bytes claims to hold %d", len(packed), h.FrameContentSize)
	}
	return zstdReader().DecodeAll(packed, make([]byte, 0, h.FrameContentSize))
}
