package snapshot

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"svc/replication/record"
)

func prefix(log string) string    { return "snapshots/" + log + "/" }
func latestKey(log string) string { return prefix(log) + "latest" }

func segmentKey(log string, first, last uint64, sum []byte) string {
	return fmt.Sprintf("%ssegments/%010d-%010d-%s", prefix(log), first, last, short(sum))
}

// atPrefix holds what belongs to single snapshots, not to several.
func atPrefix(log string) string { return prefix(log) + "at/" }

func atKey(log string, p record.Position, part string, sum []byte) string {
	return fmt.Sprintf("%s%d-%d/%s-%s", atPrefix(log), p.Epoch, p.Seq, part, short(sum))
}

// placeOf reads the epoch and sequence out of a key made by atKey.
func placeOf(log, key string) (record.Position, bool) {
	rest, ok := strings.CutPrefix(key, atPrefix(log))
	place, _, ok2 := strings.Cut(rest, "/")
	epoch, seq, ok3 := strings.Cut(place, "-")
	e, err1 := strconv.ParseUint(epoch, 10, 64)
	s, err2 := strconv.ParseUint(seq, 10, 64)
	return record.Position{Epoch: e, Seq: s}, ok && ok2 && ok3 && err1 == nil && err2 == nil
}

func short(sum []byte) string { return hex.EncodeToString(sum[:min(len(sum), 12)]) }

// Before reports whether a position comes before another in the order in which snapshots succeed one another: by
// epoch, then by sequence.
func Before(a, b record.Position) bool {
	return a.Epoch < b.Epoch || a.Epoch == b.Epoch && a.Seq < b.Seq
}
