package record

import (
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	"svc/replication/record/recordpb"
)

func pinned() *recordpb.Project {
	p := proto.CloneOf(bodies()[KindProject].(*recordpb.Project))
	p.PinnedRelease = 3
	return p
}

// A record says in its envelope no more than it has to, so that older builds stop at a pin, which they would ignore, and
// at nothing else.
func TestARecordHasTheLowestVersionThatCanSayIt(t *testing.T) {
	check := func(kind Kind, body proto.Message, want Version) {
		t.Helper()
		c := change(t, Position{}, kind, body)
		e, err := Encode(c, InlineLimit)
		if err != nil {
			t.Fatal(err)
		}
		var env recordpb.Envelope
		if err := proto.Unmarshal(e.Envelope, &env); err != nil || Version(env.Version) != want {
			t.Errorf("a %s has version %d, %v; want %d", kind, env.Version, err, want)
		}
		got, _, err := Decode(e.Envelope)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, got, c)
	}
	for kind, body := range bodies() {
		check(kind, body, 1)
	}
	check(KindProject, pinned(), 2)
}

func TestVersionsOfNoBuildAreUnknown(t *testing.T) {
	good, err := Encode(change(t, Position{}, KindProject, pinned()), InlineLimit)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []uint32{0, 3, 1 << 31} {
		if _, _, err := Decode(tamper(t, good.Envelope, func(e *recordpb.Envelope) { e.Version = v })); !isUnknown(err) {
			t.Errorf("version %d: %v", v, err)
		}
	}
}

func TestAProgramHeldToAnOlderVersionWritesNothingNewer(t *testing.T) {
	for _, tt := range []struct {
		held    Version
		body    proto.Message
		allowed bool
	}{
		{0, pinned(), true},
		{2, pinned(), true},
		{1, pinned(), false},
		{1, bodies()[KindProject], true},
		{1, bodies()[KindRelease], true},
	} {
		err := tt.held.Allow(testLog, 5, tt.body)
		var held *VersionLimitError
		if tt.allowed != (err == nil) || err != nil && (!errors.As(err, &held) || held.Seq != 5 || held.Needs != 2 || held.Limit != 1) {
			t.Errorf("held to %d: %v", tt.held, err)
		}
	}
	if Version(2).Validate() != nil || Version(3).Validate() == nil {
		t.Error("this build can be held to what it can write")
	}
}
