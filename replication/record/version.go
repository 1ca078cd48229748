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

// Allow returns a HeldError for a body that takes a newer version than a program is held to. Zero allows all that this
// build can write.
func (v Version) Allow(log string, seq uint64, body proto.Message) error {
	if needs := VersionFor(body); v != 0 && needs > v {
		return &HeldError{Log: log, Seq: seq, Needs: needs, Held: v}
	}
	return nil
}

// HeldError is a record that a program may not write, since it is held to an older version for the sake of readers of
// older builds. Another program, which is not, writes it.
type HeldError struct {
	Log         string
	Seq         uint64
	Needs, Held Version
}

// Error names the record and both versions.
func (e *HeldError) Error() string {
	return fmt.Sprintf("change %d of log %s takes record version %d, and this program is held to version %d", e.Seq, e.Log, e.Needs, e.Held)
}
