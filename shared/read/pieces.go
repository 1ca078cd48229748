package read

import "slices"

// A body in gzip or zstd that consists of large entries for the most part is put together: their fields, each compressed for itself, and
// between them the rest as it is. A store that keeps fields compressed so (FieldsCoder) then spares the work. Any node writes the same
// bytes, whether it keeps them or not.

// FieldsCoder is a View whose store keeps large fields compressed.
type FieldsCoder interface {
	// Coded appends the fields of a row that was read at a pin as Pack writes them. It appends nothing where they are not kept.
	Coded(dst []byte, c Coding, collection string, pin uint64, row *Row) ([]byte, error)
}

// Packed are the codings whose bodies are put together.
var Packed = [...]Coding{Gzip, Zstd}

// minPiece is from which size fields are compressed for themselves.
const minPiece = 1 << 10

// packs reports whether fields of so many bytes are compressed for themselves in a coding.
func (c Coding) packs(n int) bool { return n >= minPiece && slices.Contains(Packed[:], c) }

// Pack appends fields compressed for themselves, so that others may stand before and behind them in a body. It appends nothing where
// they are too small for that.
func (c Coding) Pack(dst, fields []byte) ([]byte, error) {
	switch {
	case !c.packs(len(fields)):
		return dst, nil
	case c == Gzip:
		return deflate(dst, fields)
	}
	return zstdBlocks(dst, fields)
}

// piece is where the fields of a row lie in the body, as they are stored.
type piece struct {
	start, end int
	row        *Row
}

// isPieced reports whether the body is put together: where it is not, too much would stay as it is.
func (r *Response) isPieced() bool {
	large := 0
	for _, p := range r.pieces {
		large += p.end - p.start
	}
	return large > len(r.plain)*3/4
}

// join appends the body in the accepted coding, put together from its pieces.
func (x *exchange) join(dst []byte) ([]byte, error) {
	body, c := x.resp.plain, x.accepted
	begin, stored, end := beginGzip, appendStored, endGzip
	if c == Zstd {
		begin, stored, end = beginZstd, appendRaw, endZstd
	}
	coder, _ := x.view.(FieldsCoder)
	dst = begin(dst, body)
	at := 0
	for _, p := range x.resp.pieces {
		dst = stored(dst, body[at:p.start])
		at = p.end
		before := len(dst)
		var err error
		if coder != nil {
			dst, err = coder.Coded(dst, c, x.collection.Schema.Name, x.pin.release, p.row)
		}
		if err == nil && len(dst) == before {
			dst, err = c.Pack(dst, body[p.start:p.end])
		}
		if err != nil {
			return nil, err
		}
	}
	return end(stored(dst, body[at:]), body), nil
}
