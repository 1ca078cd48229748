package layout

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"svc/shared/testrand"
)

func TestRanksSortAsTheirBytes(t *testing.T) {
	t.Parallel()
	rank := rapid.Custom(func(t *rapid.T) string {
		return string(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 2, 'a', 0xfe, 0xff}), 0, 5).Draw(t, "rank"))
	})
	testrand.Check(t, func(t *rapid.T) {
		a, b := rank.Draw(t, "a"), rank.Draw(t, "b")
		ka, kb := appendRank(nil, a), appendRank(nil, b)
		if bytes.Compare(ka, kb) != bytes.Compare([]byte(a), []byte(b)) {
			t.Fatalf("%q and %q sort otherwise as %x and %x", a, b, ka, kb)
		}
		back, rest, ok := cutRank(nil, append(ka, "rest"...))
		if !ok || string(back) != a || string(rest) != "rest" {
			t.Fatalf("%q came back as %q, %q, %v", a, back, rest, ok)
		}
	})
}

func TestSpotsSortAsTheirKeys(t *testing.T) {
	t.Parallel()
	draw := rapid.Custom(func(t *rapid.T) Position {
		s := Position{Rank: rapid.SampledFrom([]string{"", "a", "a\x00", "b"}).Draw(t, "rank")}
		s.Entry[15] = rapid.Byte().Draw(t, "entry")
		return s
	})
	testrand.Check(t, func(t *rapid.T) {
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		ka, kb := Generation(7).Head(nil, 3, a.Rank, a.Entry), Generation(7).Head(nil, 3, b.Rank, b.Entry)
		if bytes.Compare(ka, kb) != a.Compare(&b) {
			t.Fatalf("%+v and %+v compare as %d, their keys as %d", a, b, a.Compare(&b), bytes.Compare(ka, kb))
		}
		if back, err := HeadPosition(ka[CollectionLen:]); err != nil || back != a {
			t.Fatalf("%+v came back as %+v, %v", a, back, err)
		}
	})
}
