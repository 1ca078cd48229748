package read

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"svc/shared/fault"
)

// Coding is a content coding.
type Coding string

// The content codings. Identity leaves a body as it is.
const (
	Identity Coding = ""
	Zstd     Coding = "zstd"
	Brotli   Coding = "br"
	Gzip     Coding = "gzip"
)

// codings are in the order of preference among those that a caller likes equally.
var codings = [...]Coding{Zstd, Brotli, Gzip}

// Levels are low: bodies are made for one answer.
const (
	brotliLevel = 4
	gzipLevel   = 5
)

// negotiate picks the coding of an Accept-Encoding header. A caller that would rather have no coding says so with a
// greater q for identity; one that allows nothing gets identity.
func negotiate(header string) Coding {
	if header == "" {
		return Identity
	}
	var weight [len(codings)]int // in thousandths; -1: not named
	for i := range weight {
		weight[i] = -1
	}
	plain, rest := -1, -1
	for header != "" {
		var item string
		item, header, _ = strings.Cut(header, ",")
		name, q := weighted(item)
		switch {
		case name == "*":
			rest = q
		case strings.EqualFold(name, "identity"):
			plain = q
		default:
			for i, c := range codings {
				if strings.EqualFold(name, string(c)) || strings.EqualFold(name, "x-"+string(c)) {
					weight[i] = q
				}
			}
		}
	}
	best, top := Identity, max(plain, 0)
	for i, c := range codings {
		q := weight[i]
		if q < 0 {
			q = rest
		}
		if q > 0 && (q > top || q == top && best == Identity) {
			best, top = c, q
		}
	}
	return best
}

// weighted splits "name;q=0.5" into the name and thousandths; a q that is none counts as 0.
func weighted(item string) (string, int) {
	name, parameters, _ := strings.Cut(item, ";")
	thousandths := 1000
	for parameters != "" {
		var parameter string
		parameter, parameters, _ = strings.Cut(parameters, ";")
		if key, text, _ := strings.Cut(parameter, "="); strings.EqualFold(strings.TrimSpace(key), "q") {
			thousandths = quality(strings.TrimSpace(text))
		}
	}
	return strings.TrimSpace(name), thousandths
}

func quality(text string) int {
	if strings.Trim(text, "0123456789.") != "" { // what else ParseFloat knows, such as exponents, is no quality
		return 0
	}
	q, err := strconv.ParseFloat(text, 64)
	if err != nil || q > 1 {
		return 0
	}
	return int(q*1000 + 0.5)
}

// compress appends the coded body to dst. The same bytes always give the same result, which a strong ETag needs.
func (c Coding) compress(dst, body []byte) ([]byte, error) {
	switch c {
	case Zstd:
		return zstdEncoder().EncodeAll(body, dst), nil
	case Brotli:
		return compressWith(&brotliWriters, dst, body, compressor.Close)
	case Gzip:
		return compressWith(&gzipWriters, dst, body, compressor.Close)
	}
	return append(dst, body...), nil
}

var zstdEncoder = sync.OnceValue(func() *zstd.Encoder { return newZstd() })

func newZstd(options ...zstd.EOption) *zstd.Encoder {
	e, err := zstd.NewWriter(nil, append(options, zstd.WithEncoderLevel(zstd.SpeedFastest))...)
	if err != nil {
		panic("read: the options of the zstd encoder are constants: " + err.Error())
	}
	return e
}

type compressor interface {
	io.WriteCloser
	Flush() error
	Reset(io.Writer)
}

var (
	brotliWriters = sync.Pool{New: func() any { return brotli.NewWriterLevel(nil, brotliLevel) }}
	gzipWriters   = sync.Pool{New: func() any {
		w, err := gzip.NewWriterLevel(nil, gzipLevel)
		if err != nil {
			panic("read: the level of the gzip writer is a constant: " + err.Error())
		}
		return w
	}}
)

func compressWith(pool *sync.Pool, dst, body []byte, end func(compressor) error) ([]byte, error) {
	w := pool.Get().(compressor)
	defer pool.Put(w)
	out := bytes.NewBuffer(dst)
	w.Reset(out)
	_, err := w.Write(body)
	err = errors.Join(err, end(w))
	return out.Bytes(), fault.Wrap(err, "compressing a body")
}
