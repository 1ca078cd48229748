package snapshot

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
)

// order checks that bodies come in the order of the package: what a part may hold depends on which part it is, and
// releases ascend. Numbers that a recovery skipped may be missing.
type order struct {
	manifest *recordpb.Manifest
	part     *recordpb.Part
	rank     int // of the last body
	release  uint64
}

func newOrder(m *recordpb.Manifest) *order { return &order{manifest: m} }

func (o *order) begin(part *recordpb.Part) { o.part, o.rank = part, 0 }

func (o *order) check(kind record.Kind, body proto.Message) error {
	rank, ok := o.allowed()[kind]
	if !ok || rank < o.rank {
		return fmt.Errorf("a %s is out of place", kind)
	}
	o.rank = rank
	if release, ok := body.(*recordpb.Release); ok {
		if release.Number <= o.release || release.Number < o.part.FirstRelease || release.Number > o.part.LastRelease {
			return fmt.Errorf("release %d follows release %d in a part from %d to %d", release.Number, o.release,
				o.part.FirstRelease, o.part.LastRelease)
		}
		o.release = release.Number
	}
	return nil
}

// end checks that the part brought the releases it claims.
func (o *order) end(part *recordpb.Part) error {
	if part != o.manifest.State && part.LastRelease != o.release {
		return fmt.Errorf("the part ends with release %d instead of %d", o.release, part.LastRelease)
	}
	return nil
}

// allowed returns the kinds of the part at hand with their order inside it.
func (o *order) allowed() map[record.Kind]int {
	switch o.part {
	case o.manifest.State:
		return map[record.Kind]int{record.KindProject: 1, record.KindSchema: 2, record.KindOrganization: 3, record.KindKey: 4}
	case o.manifest.Tail:
		return map[record.Kind]int{record.KindRelease: 1, record.KindRank: 2}
	}
	return map[record.Kind]int{record.KindRelease: 1}
}
