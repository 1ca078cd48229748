package record

import (
	"errors"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"svc/replication/record/recordpb"
)

// Digests are for ever: a setting that is not made must not change those of settings from before it existed.
func TestAPinIsDigestedOnlyWhereThereIsOne(t *testing.T) {
	digest := func(pin uint64) string {
		p := bodies()[KindProject].(*recordpb.Project)
		p.PinnedRelease = pin
		h, err := Digest(KindProject, p)
		if err != nil {
			t.Fatal(err)
		}
		return h.String()
	}
	const before = "fe8dce556aef9ca4fef7e70ae5705aa1597e97ee6b9d0a63ab7a52ebf2527c4d"
	if got := digest(0); got != before {
		t.Errorf("without a pin %s, want %s", got, before)
	}
	if a, b := digest(3), digest(4); a == before || a == b {
		t.Errorf("pins %s and %s", a, b)
	}
}

func TestAnEnvelopeOfAnotherReleaseThanItsBodyIsDamaged(t *testing.T) {
	e, err := Encode(change(t, Position{}, KindRelease, bodies()[KindRelease]), InlineLimit)
	if err != nil {
		t.Fatal(err)
	}
	var env recordpb.Envelope
	if err := proto.Unmarshal(e.Envelope, &env); err != nil {
		t.Fatal(err)
	}
	env.Release++
	lying, err := proto.Marshal(&env)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Decode(lying); !errors.As(err, new(*CorruptError)) {
		t.Error(err)
	}
}

func TestStampsJoinToTheNewestOfBoth(t *testing.T) {
	at := func(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
	if got := (Stamp{3, at(9)}).Join(Stamp{5, at(7)}); got != (Stamp{5, at(9)}) {
		t.Error(got)
	}
	if got := (Stamp{}).Join(Stamp{5, at(7)}); got != (Stamp{5, at(7)}) {
		t.Error(got)
	}
}
