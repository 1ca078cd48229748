package content

import "time"

// Release is one publish of a project. Numbers count from 1 without gaps; times are whole milliseconds in UTC
// and rise strictly with the number.
type Release struct {
	Number      uint64
	PublishedAt time.Time
}

// TimeLayout is how times are written: RFC 3339 in UTC with milliseconds.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// FormatTime writes t as the interface does.
func FormatTime(t time.Time) string { return t.UTC().Format(TimeLayout) }

// AppendTime appends the moment so many milliseconds after 1970, as FormatTime writes it. Package time is four times as fast without the
// milliseconds.
func AppendTime(dst []byte, ms int64) []byte {
	dst = time.UnixMilli(ms).UTC().AppendFormat(dst, time.RFC3339)
	part := (ms%1000 + 1000) % 1000
	return append(dst[:len(dst)-1], '.', byte('0'+part/100), byte('0'+part/10%10), byte('0'+part%10), 'Z')
}
