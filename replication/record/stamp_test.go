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

func TestAnEnvelopeTellsItsReleaseWithoutItsBody(t *testing.T) {
	envelope := func(c *Change, limit int, edit func(*recordpb.Envelope)) []byte {
		e, err := Encode(c, limit)
		if err != nil {
			t.Fatal(err)
		}
		var env recordpb.Envelope
		if err := proto.Unmarshal(e.Envelope, &env); err != nil {
			t.Fatal(err)
		}
		edit(&env)
		out, err := proto.Marshal(&env)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	asIs := func(*recordpb.Envelope) {}
	silent := func(env *recordpb.Envelope) { env.Release, env.ReleaseMs = 0, 0 }
	release := change(t, Position{}, KindRelease, bodies()[KindRelease])
	rank := change(t, Position{}, KindRank, bodies()[KindRank])
	want := Stamp{Number: 7, Time: time.UnixMilli(1_760_000_000_123).UTC()}
	for name, tt := range map[string]struct {
		envelope      []byte
		want          Stamp
		release, told bool
	}{
		"a release":                      {envelope(release, InlineLimit, asIs), want, true, true},
		"a release whose body is apart":  {envelope(release, 0, asIs), want, true, true},
		"a release of an older build":    {envelope(release, InlineLimit, silent), want, true, true},
		"a large one of an older build":  {envelope(release, 0, silent), Stamp{}, true, false},
		"something else":                 {envelope(rank, InlineLimit, asIs), Stamp{}, false, false},
		"something else, its body apart": {envelope(rank, 0, asIs), Stamp{}, false, false},
	} {
		got, isRelease, told, err := ReadStamp(tt.envelope)
		if err != nil || got != tt.want || isRelease != tt.release || told != tt.told {
			t.Errorf("%s: %+v, %v, %v, %v", name, got, isRelease, told, err)
		}
	}
	if _, _, _, err := ReadStamp([]byte("nothing")); !errors.As(err, new(*CorruptError)) {
		t.Errorf("no envelope: %v", err)
	}
	lying := envelope(release, InlineLimit, func(env *recordpb.Envelope) { env.Release = 8 })
	if _, _, err := Decode(lying); !errors.As(err, new(*CorruptError)) {
		t.Errorf("an envelope of another release than its body: %v", err)
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
