package read

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"svc/shared/query"
)

// minCoded is the size from which bodies are compressed.
const minCoded = 1 << 10

const (
	publicHead  = "public, max-age=0, must-revalidate"
	privateHead = "private, max-age=0, must-revalidate"
	publicPin   = "public, max-age=31536000, immutable"
	privatePin  = "private, max-age=31536000, immutable"
	noStore     = "no-store"
)

// finish is the last step: the body is there.
func (x *exchange) finish() {
	r := x.resp
	r.set("Cache-Control", x.cacheControl())
	if !x.private && !x.preview {
		r.set("Cache-Tag", x.body.tags)
	}
	x.setRelease()
	if x.pin.given && !x.pin.before {
		r.set("Content-Location", x.contentLocation())
	}
	if matched, ok := match(x.req.IfNoneMatch, x.body.hash); ok {
		r.Status = 304
		r.set("Etag", quote(x.body.hash, matched))
		return
	}
	r.Status, r.Body = 200, x.body.bytes
	r.set("Content-Type", "application/json")
	r.set("Etag", x.body.etag)
	if x.body.coding != Identity {
		r.set("Content-Encoding", string(x.body.coding))
	}
}

func (x *exchange) setRelease() { x.resp.set("Svc-Release", strconv.FormatUint(x.release, 10)) }

// cacheControl follows the interface, "Caching". A pin that may still come to mean something else revalidates.
func (x *exchange) cacheControl() string {
	fixed := x.pin.given && !x.pin.moving
	switch {
	case x.preview:
		return noStore
	case fixed && x.private:
		return privatePin
	case fixed:
		return publicPin
	case x.private:
		return privateHead
	}
	return publicHead
}

// contentLocation is the address of the same answer with the release's number for a pin.
func (x *exchange) contentLocation() string {
	raw := query.Canonical(x.req.RawQuery, strconv.FormatUint(x.pin.release, 10))
	b := x.req.path(make([]byte, 0, 128+len(raw)))
	b = append(b, '?')
	for i := 0; i < len(raw); i++ {
		if c := raw[i]; c > ' ' && c < 0x7f {
			b = append(b, c)
		} else {
			b = append(b, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return string(b)
}

const upperHex = "0123456789ABCDEF"

// hash is the part of an ETag that the content alone decides.
func hash(body []byte) string {
	sum := xxh3.Hash128(body).Bytes()
	return hex.EncodeToString(sum[:])
}

// quote writes a strong ETag: the hash of the identity body, and the coding of this representation behind it.
func quote(tag string, c Coding) string {
	if c == Identity {
		return `"` + tag + `"`
	}
	return `"` + tag + "-" + string(c) + `"`
}

// match holds an If-None-Match header against a tag, and tells of which coding the caller has it. The comparison is
// weak, as RFC 9110 has it for this header: W/ says nothing, and any coding of the same content will do. "*" stands alone.
func match(header, tag string) (Coding, bool) {
	if strings.Trim(header, " \t") == "*" {
		return Identity, true
	}
	for header != "" {
		header = strings.TrimLeft(header, " \t,")
		if header == "" {
			break
		}
		header = strings.TrimPrefix(header, "W/")
		if header == "" || header[0] != '"' {
			return Identity, false // no list of tags
		}
		end := strings.IndexByte(header[1:], '"')
		if end < 0 {
			return Identity, false
		}
		if c, ok := codingOf(header[1:1+end], tag); ok {
			return c, true
		}
		header = header[end+2:]
	}
	return Identity, false
}

func codingOf(candidate, tag string) (Coding, bool) {
	suffix, ok := strings.CutPrefix(candidate, tag)
	if !ok {
		return Identity, false
	}
	if suffix == "" {
		return Identity, true
	}
	for _, c := range codings {
		if suffix[0] == '-' && suffix[1:] == string(c) {
			return c, true
		}
	}
	return Identity, false
}
