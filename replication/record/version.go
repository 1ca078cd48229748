package record

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"svc/replication/record/recordpb"
)

// Version is an envelope version. A record has the lowest that can say it, so that builds which know nothing of newer
// ones go on reading all that they understand, and stop where they would miss something.
type Version uint32

const (
	// Oldest is the first version there was, and the oldest that this build reads.
	Oldest Version = 1
	// Pins is the version that can say to which release a project is pinned.
	Pins Version = 2
	// Newest is the newest version that this build reads and writes.
	Newest = Pins
)

// VersionFor returns the lowest version that can say what a body says.
func VersionFor(body proto.Message) Version {
	if p, ok := body.(*recordpb.Project); ok && p.PinnedRelease != 0 {
		return Pins
	}
	return Oldest
}

// Validate reports a version that this build cannot be held to; zero holds it to none.
func (v Version) Validate() error {
	if v > Newest {
		return fmt.Errorf("record version %d is newer than %d, the newest that this build writes", v, Newest)
	}
	return nil
}

// Allow returns a VersionLimitError for a body that needs a newer version than v. Zero allows every version that this build
// can write.
func (v Version) Allow(log string, seq uint64, body proto.Message) error {
	if needs := VersionFor(body); v != 0 && needs > v {
		return &VersionLimitError{Log: log, Seq: seq, Needs: needs, Limit: v}
	}
	return nil
}

// VersionLimitError is returned for a record that a program may not write, because its configuration limits it to an older
// version that older readers understand. A program without that limit writes the record.
type VersionLimitError struct {
	Log          string
	Seq          uint64
	Needs, Limit Version
}

// Error names the record and both versions.
func (e *VersionLimitError) Error() string {
	return fmt.Sprintf("change %d of log %s needs record version %d, but this program is limited to version %d", e.Seq, e.Log, e.Needs, e.Limit)
}
