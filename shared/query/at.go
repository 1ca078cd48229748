package query

import (
	"strings"
	"time"

	"svc/shared/schema"
)

// AtKind says how a pin is given.
type AtKind uint8

// The kinds of pins.
const (
	AtHead    AtKind = iota // no pin: the newest release
	AtRelease               // a release number
	AtTime                  // the newest release at or before a time
)

// At is the parameter at.
type At struct {
	Kind AtKind
	// Release is the number, which may be one that no release ever has: zero, negative or huge, where it is cut to
	// 64 bits. Text is what was given.
	Release int64
	Text    string
	// Time is the instant; a date alone is its midnight in UTC.
	Time time.Time
}

// at reads 7, release-7, an RFC 3339 time or a date.
func (p *parser) at(value string) At {
	number := strings.TrimPrefix(value, "release-")
	if n, ok := integer(number); ok {
		return At{Kind: AtRelease, Release: n, Text: Shorten(number)}
	}
	if t, err := schema.ParseDate(value); err == nil {
		return At{Kind: AtTime, Time: t}
	}
	// A plus sign that was not escaped arrives as a space.
	if t, err := schema.ParseDatetime(upper(strings.Replace(value, " ", "+", 1))); err == nil {
		return At{Kind: AtTime, Time: t.UTC()}
	}
	p.refuse(paramAt, "must be a release number such as 7 or release-7, a date or an RFC 3339 time, not %q", Shorten(value))
	return At{}
}

// upper writes the letters T and Z as RFC 3339 prefers them; both cases are allowed.
func upper(s string) string {
	if strings.ContainsAny(s, "tz") {
		return strings.ToUpper(s)
	}
	return s
}
