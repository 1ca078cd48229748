package snapshot

import (
	"bytes"
	"os"
	"testing"

	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/blob"
	"svc/shared/blob/blobtest"
)

func FuzzPart(f *testing.F) {
	s, err := newSpool(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	for kind, body := range map[record.Kind]proto.Message{
		record.KindRank:    &recordpb.Rank{Collection: "posts", Entries: []*recordpb.RankedEntry{{Entry: "ent_1", Rank: "m"}}},
		record.KindRelease: &recordpb.Release{Number: 1, Items: []*recordpb.Item{{Entry: "ent_1", Fields: []byte("{}")}}},
	} {
		if err := s.add(kind, body); err != nil {
			f.Fatal(err)
		}
	}
	if _, err := s.put(f.Context(), &blobtest.Memory{}, func([]byte) string { return "part" }); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(s.file.Name())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add([]byte{})
	if err := s.discard(); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		err := decodePart(bytes.NewReader(data), func(kind record.Kind, body proto.Message) error {
			if body == nil {
				t.Fatalf("a %s without a body", kind)
			}
			return nil
		})
		_ = err // any input may be refused; none may panic or run away
	})
}

func FuzzManifest(f *testing.F) {
	m := &recordpb.Manifest{
		Version: 1, Log: "prj_1", Epoch: 1, Seq: 2, Chain: make([]byte, 32), StateHash: make([]byte, 16),
		State:    &recordpb.Part{Key: "snapshots/prj_1/at/1-2/state-00", Sha256: make([]byte, 32)},
		Segments: []*recordpb.Part{{Key: "snapshots/prj_1/segments/1", Sha256: make([]byte, 32), FirstRelease: 1, LastRelease: 9}},
	}
	data, err := proto.Marshal(m)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := DecodeManifest(data); err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := DecodeManifest(data)
		if err != nil {
			return
		}
		for _, part := range parts(m) {
			if err := blob.CheckKey(part.Key); err != nil {
				t.Fatal(err)
			}
		}
		if again, err := proto.Marshal(m); err != nil {
			t.Fatal(err)
		} else if _, err := DecodeManifest(again); err != nil {
			t.Fatalf("it does not read what it wrote: %v", err)
		}
	})
}
