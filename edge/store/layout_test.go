package store

import (
	"bytes"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
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
	draw := rapid.Custom(func(t *rapid.T) position {
		s := position{rank: rapid.SampledFrom([]string{"", "a", "a\x00", "b"}).Draw(t, "rank")}
		s.entry[15] = rapid.Byte().Draw(t, "entry")
		return s
	})
	testrand.Check(t, func(t *rapid.T) {
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		ka, kb := generation(7).head(nil, 3, a.rank, a.entry), generation(7).head(nil, 3, b.rank, b.entry)
		if bytes.Compare(ka, kb) != a.compare(&b) {
			t.Fatalf("%+v and %+v compare as %d, their keys as %d", a, b, a.compare(&b), bytes.Compare(ka, kb))
		}
		if back, err := spotIn(ka[collectionLen:]); err != nil || back != a {
			t.Fatalf("%+v came back as %+v, %v", a, back, err)
		}
	})
}

// A directory of another layout is replaced; what else lies there is left alone.
func TestOtherLayoutsAreRemoved(t *testing.T) {
	t.Parallel()
	fs := vfs.NewMem()
	for _, dir := range []string{"/store/v0/x", "/store/v12", "/store/vault", "/store/other"} {
		if err := fs.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	newSubject(t, fs)
	names, err := fs.List("/store")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, name := range names {
		got[name] = true
	}
	if got["v0"] || got["v12"] || !got["vault"] || !got["other"] || !got[layoutVersion] {
		t.Errorf("the directory holds %v", names)
	}
}
