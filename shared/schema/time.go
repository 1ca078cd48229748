package schema

import (
	"fmt"
	"strings"
	"time"
)

const dateLayout = "2006-01-02"

// How a date and a datetime are written, quoted, for messages about an option that takes one.
const (
	DateExample     = `"2026-01-31"`
	DatetimeExample = `"2026-01-31T09:00:00+01:00"`
)

// ParseDate reads an ISO date such as "2026-02-28"; it must exist in the calendar. The result is its midnight in
// UTC.
func ParseDate(s string) (time.Time, error) {
	t, err := time.Parse(dateLayout, s)
	if err != nil || len(s) != len(dateLayout) {
		return time.Time{}, fmt.Errorf("%s is not a date of the calendar, such as 2026-02-28", Quote(s))
	}
	return t, nil
}

// ParseDatetime reads an ISO datetime with an offset, such as "2026-02-28T09:30:00+01:00" or "…T08:30:00.125Z".
// Fractions have at most nine digits, so instants compare exactly. In UTC the year must have four digits too, so that
// every form of the instant can be read back.
func ParseDatetime(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || !strictDatetime(s) {
		s = strings.Clone(s) // keeps what is valid from escaping to the heap
		return time.Time{}, fmt.Errorf("%s is not a datetime with an offset, such as 2026-02-28T09:30:00+01:00", Quote(s))
	}
	if year := t.UTC().Year(); year < 0 || year > 9999 {
		return time.Time{}, fmt.Errorf("%s lies outside of the years 0000 to 9999 in UTC", Quote(strings.Clone(s)))
	}
	return t, nil
}

// strictDatetime refuses what the time package lets through: hours of one digit, a comma before the fraction, a
// fraction it would cut, an offset that no clock has.
func strictDatetime(s string) bool {
	const seconds = len("2006-01-02T15:04:05")
	if len(s) <= seconds || s[seconds-6] != ':' || s[seconds-3] != ':' {
		return false
	}
	rest := s[seconds:]
	if fraction, found := strings.CutPrefix(rest, "."); found {
		rest = strings.TrimLeft(fraction, "0123456789")
		if n := len(fraction) - len(rest); n == 0 || n > 9 {
			return false
		}
	}
	if rest == "Z" {
		return true
	}
	return len(rest) == len("+00:00") && rest[1:3] <= "23" && rest[4:6] <= "59"
}

// canonicalDatetime writes an instant in the one way that schemas use.
func canonicalDatetime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
