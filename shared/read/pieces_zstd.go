package read

import (
	"encoding/binary"
	"sync"

	"github.com/klauspost/compress/zstd"

	"svc/shared/fault"
)

// Frames and their blocks are those of RFC 8878. A block may say that a match has the offset of one before, those in other blocks included.
// The encoder does not, at its fastest level, before three matches of the same piece.

const (
	zstdMagic = 0xfd2fb528
	// zstdWindow is how far back matches lie at most, and the most that one block may hold.
	zstdWindow     = 128 << 10
	zstdWindowCode = 7 << 3
	zstdLast       = 1 // flag of a block
)

var zstdPacker = sync.OnceValue(func() *zstd.Encoder {
	return newZstd(zstd.WithEncoderCRC(false), zstd.WithWindowSize(zstdWindow), zstd.WithAllLitEntropyCompression(true))
})

// beginZstd appends the head of a frame that tells the size of its content.
func beginZstd(dst, body []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, zstdMagic)
	dst = append(dst, 2<<6, zstdWindowCode) // the size takes four bytes
	return binary.LittleEndian.AppendUint32(dst, uint32(len(body)))
}

// endZstd appends a last block that is empty.
func endZstd(dst, _ []byte) []byte { return appendBlockHead(dst, zstdLast) }

// appendRaw appends blocks that are not compressed.
func appendRaw(dst, b []byte) []byte {
	for len(b) > 0 {
		n := min(len(b), zstdWindow)
		dst = appendBlockHead(dst, n<<3)
		dst, b = append(dst, b[:n]...), b[n:]
	}
	return dst
}

func appendBlockHead(dst []byte, head int) []byte {
	return append(dst, byte(head), byte(head>>8), byte(head>>16))
}

// zstdBlocks appends blocks, none of them the last, that refer to nothing before them.
func zstdBlocks(dst, b []byte) ([]byte, error) {
	start := len(dst)
	dst = zstdPacker().EncodeAll(b, dst)
	var head zstd.Header
	if err := head.Decode(dst[start:]); err != nil {
		return nil, fault.Wrap(err, "reading the head of a frame")
	}
	dst = append(dst[:start], dst[start+head.HeaderSize:]...)
	for at := start; at < len(dst); {
		dst[at] &^= zstdLast
		size := int(dst[at])>>3 | int(dst[at+1])<<5 | int(dst[at+2])<<13
		if kind := dst[at] >> 1 & 3; kind == 1 { // one byte that is repeated
			size = 1
		}
		at += 3 + size
	}
	return dst, nil
}
