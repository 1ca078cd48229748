package snapshot

import "svc/replication/record/recordpb"

// LastRelease returns the number of the newest release in a snapshot; 0 where it has none.
func LastRelease(m *recordpb.Manifest) uint64 {
	last := uint64(0)
	if n := len(m.Segments); n > 0 {
		last = m.Segments[n-1].LastRelease
	}
	if m.Tail != nil {
		last = max(last, m.Tail.LastRelease)
	}
	return last
}
