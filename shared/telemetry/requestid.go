package telemetry

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// RequestIDHeader carries the id of a request on every response, and from an edge to core.
const RequestIDHeader = "svc-request-id"

// RequestID returns the id of a request: the trace id of a valid traceparent (W3C Trace Context), else the id that
// an edge gave it before, else a new one. It is always 32 lower-case hexadecimal characters.
func RequestID(traceparent, forwarded string) string {
	if id := traceID(traceparent); id != "" {
		return id
	}
	if isTraceID(forwarded) {
		return forwarded
	}
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// traceID returns the trace id of version-traceid-parentid-flags, or nothing where the header is not valid.
func traceID(traceparent string) string {
	parts := strings.Split(traceparent, "-")
	if len(parts) < 4 || len(parts[0]) != 2 || !isHex(parts[0]) || parts[0] == "ff" || parts[0] == "00" && len(parts) != 4 ||
		!isTraceID(parts[1]) || len(parts[2]) != 16 || !isHex(parts[2]) || strings.Trim(parts[2], "0") == "" ||
		len(parts[3]) != 2 || !isHex(parts[3]) {
		return ""
	}
	return parts[1]
}

func isTraceID(s string) bool { return len(s) == 32 && isHex(s) && strings.Trim(s, "0") != "" }

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }
