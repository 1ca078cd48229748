package record

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"svc/replication/record/recordpb"
)

// Stamp is the number and the time of a release. No other release of its project ever gets either of them.
type Stamp struct {
	Number uint64
	Time   time.Time // whole milliseconds, UTC
}

// Join returns the greater number and the later time of both.
func (s Stamp) Join(other Stamp) Stamp {
	s.Number = max(s.Number, other.Number)
	if other.Time.After(s.Time) {
		s.Time = other.Time
	}
	return s
}

// String writes a stamp as number.milliseconds; ParseStamp reads it.
func (s Stamp) String() string { return fmt.Sprintf("%d.%d", s.Number, millis(s.Time)) }

// ParseStamp reads what String wrote, and nothing else.
func ParseStamp(text string) (Stamp, error) {
	first, second, found := strings.Cut(text, ".")
	number, err := strconv.ParseUint(first, 10, 63)
	ms, err2 := strconv.ParseUint(second, 10, 53)
	if !found || err != nil || err2 != nil {
		return Stamp{}, fmt.Errorf("%q is not the number of a release and its time in milliseconds", shorten(text))
	}
	return Stamp{Number: number, Time: fromMillis(int64(ms))}, nil
}

// StampOf returns the stamp of a release.
func StampOf(r *recordpb.Release) Stamp {
	return Stamp{Number: r.Number, Time: time.UnixMilli(r.PublishedMs).UTC()}
}

// verifyStamp checks that the envelope says of a release what its body says.
func verifyStamp(c *Change, env *recordpb.Envelope) error {
	body, ok := c.Body.(*recordpb.Release)
	if !ok || env.Release == 0 || body.Number == env.Release && body.PublishedMs == env.ReleaseMs {
		return nil
	}
	return c.corrupt("its envelope is of release %d and its body of release %d", env.Release, body.Number)
}
