package read

import (
	"encoding/binary"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/flate"
)

// A body in gzip that consists of large entries for the most part is put together: their fields, each compressed for itself, and
// between them the rest as it is. A store that keeps fields compressed so (FieldsCoder) then spares the work. Any node writes the same
// bytes, whether it keeps them or not.

// MinDeflated is from which size fields are compressed for themselves.
const MinDeflated = 1 << 10

// FieldsCoder is a View whose store keeps large fields compressed.
type FieldsCoder interface {
	// Deflated appends the fields of a row that was read at a pin as Deflate writes them. It appends nothing where they are not kept.
	Deflated(dst []byte, collection string, pin uint64, row *Row) ([]byte, error)
}

// piece is where the fields of a row lie in the body, as they are stored.
type piece struct {
	start, end int
	row        *Row
}

// isPieced reports whether the body is put together in gzip: where it is not, too much would stay as it is.
func (r *Response) isPieced() bool {
	large := 0
	for _, p := range r.pieces {
		large += p.end - p.start
	}
	return large > len(r.plain)*3/4
}

// gzipPieces appends the body in gzip (RFC 1952), put together from its pieces.
func (x *exchange) gzipPieces(dst []byte) ([]byte, error) {
	body := x.resp.plain
	dst = append(dst, 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff) // deflate, no time, no file system
	coder, _ := x.view.(FieldsCoder)
	at := 0
	for _, p := range x.resp.pieces {
		dst = appendStored(dst, body[at:p.start])
		at = p.end
		before := len(dst)
		var err error
		if coder != nil {
			dst, err = coder.Deflated(dst, x.collection.Schema.Name, x.pin.release, p.row)
		}
		if err == nil && len(dst) == before {
			dst, err = Deflate(dst, body[p.start:p.end])
		}
		if err != nil {
			return nil, err
		}
	}
	dst = append(appendStored(dst, body[at:]), 1, 0, 0, 0xff, 0xff) // the last block is empty
	dst = binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(body))
	return binary.LittleEndian.AppendUint32(dst, uint32(len(body))), nil
}

// appendStored writes blocks of Deflate that are not compressed.
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

// Deflate appends blocks of Deflate (RFC 1951) that end at a byte and refer to nothing before them, so that others may follow.
func Deflate(dst, b []byte) ([]byte, error) {
	return compressWith(&deflaters, dst, b, compressor.Flush)
}
