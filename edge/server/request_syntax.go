package server

import (
	"bytes"

	"github.com/valyala/fasthttp"

	"svc/shared/fault"
)

// What the service takes as a whole, and what the edge's own paths take.
const (
	allMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
	ownMethods = "GET, HEAD"
)

// checked returns the target of a request that no one can read in two ways. fasthttp has refused most of the rest
// already: repeated or odd lengths, codings other than chunked, several hosts or none, spaces before a colon, control
// characters. Here goes what it takes though it had better not.
func checked(ctx *fasthttp.RequestCtx) (target, error) {
	h := &ctx.Request.Header
	if p := h.Protocol(); string(p) != "HTTP/1.1" && string(p) != "HTTP/1.0" {
		return target{}, fault.New(fault.ValidationFailed, "the version of the request must be HTTP/1.1 or HTTP/1.0")
	}
	if err := checkFields(h.RawHeaders()); err != nil {
		return target{}, err
	}
	switch {
	case h.IsGet(), h.IsHead():
		if n := h.ContentLength(); n > 0 || n == -1 {
			return target{}, fault.New(fault.ValidationFailed, "a %s request takes no body", h.Method())
		}
	case h.IsConnect(): // it is about no resource; of any other method core says what the path takes instead
		return target{}, wrongMethod(ctx, allMethods)
	}
	return parseTarget(h.RequestURI())
}

// wrongMethod refuses a method and names those that would do.
func wrongMethod(ctx *fasthttp.RequestCtx, allowed string) error {
	ctx.Response.Header.Set("Allow", allowed)
	return fault.New(fault.MethodNotAllowed, "%s is not a method of this path; it takes %s", ctx.Method(), allowed)
}

var (
	contentLength    = []byte("content-length")
	transferEncoding = []byte("transfer-encoding")
	chunked          = []byte("chunked")
)

// checkFields goes through the header lines as they were sent. Each ends in CRLF, none goes on in the next, names hold
// no spaces, and at most one of length and coding is told.
func checkFields(raw []byte) error {
	framed := false
	for len(raw) > 0 {
		end := bytes.IndexByte(raw, '\n')
		if end < 1 || raw[end-1] != '\r' {
			return fault.New(fault.ValidationFailed, "every header line must end in CRLF")
		}
		line := raw[:end-1]
		raw = raw[end+1:]
		if len(line) == 0 {
			break
		}
		colon := bytes.IndexByte(line, ':')
		if colon < 1 || bytes.IndexByte(line[:colon], ' ') >= 0 || bytes.IndexByte(line[:colon], '\t') >= 0 {
			return fault.New(fault.ValidationFailed, "every header line must begin with a name without spaces, and must not be folded")
		}
		framing, err := checkFraming(line[:colon], line[colon+1:])
		if err != nil {
			return err
		}
		if framing && framed {
			return fault.New(fault.ValidationFailed, "a request has one Content-Length, or one Transfer-Encoding, and never both")
		}
		framed = framed || framing
	}
	return nil
}

// checkFraming tells whether a field says where the body ends.
func checkFraming(name, value []byte) (bool, error) {
	switch {
	case len(name) == len(contentLength) && bytes.EqualFold(name, contentLength):
		return true, nil
	case len(name) == len(transferEncoding) && bytes.EqualFold(name, transferEncoding):
		if !bytes.EqualFold(bytes.Trim(value, " \t"), chunked) {
			return true, fault.New(fault.ValidationFailed, "the only Transfer-Encoding of a request is chunked")
		}
		return true, nil
	}
	return false, nil
}
