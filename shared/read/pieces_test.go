package read

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"svc/shared/testrand"
)

type fataler interface{ Fatal(args ...any) }

// joined puts a body of fields together, with something between them, as answers are.
func joined(t fataler, c Coding, fields ...string) (coded []byte, plain string) {
	x := exchange{accepted: c, resp: new(Response)}
	for i, f := range fields {
		x.resp.plain = fmt.Appendf(x.resp.plain, `{"id":%d,"fields":`, i)
		at := len(x.resp.plain)
		x.resp.plain = append(x.resp.plain, f...)
		if c.packs(len(f)) {
			x.resp.pieces = append(x.resp.pieces, piece{start: at, end: at + len(f)})
		}
	}
	coded, err := x.join(nil)
	if err != nil {
		t.Fatal(err)
	}
	return coded, string(x.resp.plain)
}

func TestPiecesOfAnySizesComeBack(t *testing.T) {
	testrand.Check(t, func(t *rapid.T) {
		var fields []string
		for range rapid.IntRange(0, 5).Draw(t, "entries") {
			part := rapid.StringOfN(rapid.RuneFrom([]rune("ab-é \n0")), 1, rapid.SampledFrom([]int{1, 4, 8, 40}).Draw(t, "of"), -1).Draw(t, "part")
			size := rapid.SampledFrom([]int{0, minPiece - 1, minPiece, 3000, zstdWindow - 1, zstdWindow + 1, 3 * zstdWindow}).Draw(t, "size")
			fields = append(fields, strings.Repeat(part, size/len(part)+1)[:size])
		}
		for _, c := range Packed {
			coded, plain := joined(t, c, fields...)
			if len(plain) > 0 && string(decoded(t, c, coded)) != plain {
				t.Fatalf("%s: %d bytes came back as others", c, len(plain))
			}
		}
	})
}

// TestNoPieceRepeatsOffsetsBeforeIt: at the beginning of a frame of zstd the offsets to repeat are 1, 4 and 8, behind other pieces they
// are not. These begin with matches that lie as far back.
func TestNoPieceRepeatsOffsetsBeforeIt(t *testing.T) {
	var words strings.Builder
	for i := range 500 {
		fmt.Fprintf(&words, "%x ", i*i*i%65521)
	}
	for _, begin := range []string{"-", "abcd", "abcdefgh", "abcd----efgh"} {
		for _, more := range []string{"", "x", words.String()} {
			fields := strings.Repeat(begin, 5) + more + strings.Repeat("-", 20) + more + strings.Repeat("abcd", 20) + words.String()
			coded, plain := joined(t, Zstd, words.String(), fields, fields)
			if string(decoded(t, Zstd, coded)) != plain {
				t.Errorf("%s… with %.9s… does not come back", begin, more)
			}
		}
	}
}
