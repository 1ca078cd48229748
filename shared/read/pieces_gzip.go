package read

import (
	"encoding/binary"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/flate"
)

// beginGzip appends the head of a file (RFC 1952): deflate, no time, no file system.
func beginGzip(dst, _ []byte) []byte { return append(dst, 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff) }

// endGzip appends a last block that is empty, and what the body has to be.
func endGzip(dst, body []byte) []byte {
	dst = append(dst, 1, 0, 0, 0xff, 0xff)
	dst = binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(body))
	return binary.LittleEndian.AppendUint32(dst, uint32(len(body)))
}

// appendStored appends blocks of Deflate that are not compressed.
func appendStored(dst, b []byte) []byte {
	for len(b) > 0 {
		n := min(len(b), 1<<16-1)
		dst = append(dst, 0)
		dst = binary.LittleEndian.AppendUint16(dst, uint16(n))
		dst = binary.LittleEndian.AppendUint16(dst, ^uint16(n))
		dst, b = append(dst, b[:n]...), b[n:]
	}
	return dst
}

var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, gzipLevel)
	if err != nil {
		panic("read: the level of the deflater is a constant: " + err.Error())
	}
	return w
}}

// deflate appends blocks of Deflate (RFC 1951) that end at a byte and refer to nothing before them.
func deflate(dst, b []byte) ([]byte, error) {
	return compressWith(&deflaters, dst, b, compressor.Flush)
}
