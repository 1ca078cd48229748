package snapshot

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/blob"
)

// maxManifest bounds a manifest: at 64 MB a segment, it describes more than a terabyte.
const maxManifest = 4 << 20

// Latest returns the newest snapshot of a log in the store; NOT_FOUND where it has none.
func Latest(ctx context.Context, store blob.Store, log string) (*recordpb.Manifest, error) {
	data, err := fetch(ctx, store, latestKey(log))
	if err != nil {
		return nil, err
	}
	var pointer recordpb.Part
	if err := proto.Unmarshal(data, &pointer); err != nil {
		return nil, fmt.Errorf("read %s: %w", latestKey(log), err)
	}
	return Open(ctx, store, log, &pointer)
}

// Open reads and checks the manifest that a Ref names; one that is not as it was written is a DamagedError.
func Open(ctx context.Context, store blob.Store, log string, object *recordpb.Part) (*recordpb.Manifest, error) {
	if !strings.HasPrefix(object.Key, atPrefix(log)) {
		return nil, fmt.Errorf("%.100q is no manifest of %s", object.Key, log)
	}
	data, err := fetch(ctx, store, object.Key)
	if err != nil {
		return nil, absent(object, err)
	}
	sum := sha256.Sum256(data)
	if err := hashed(object, sum[:]); err != nil {
		return nil, err
	}
	m, err := DecodeManifest(data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", object.Key, err)
	}
	if m.Log != log {
		return nil, fmt.Errorf("manifest %s is of log %s", object.Key, m.Log)
	}
	return m, nil
}

// DecodeManifest reads a manifest and checks it. Its version is that of the newest record which it takes to say what the
// state says; one that this build does not read is a record.UnknownError.
func DecodeManifest(data []byte) (*recordpb.Manifest, error) {
	m := &recordpb.Manifest{}
	if err := proto.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("no manifest: %w", err)
	}
	if v := record.Version(m.Version); v < record.Oldest || v > record.Newest {
		return nil, &record.UnknownError{Log: m.Log, Seq: m.Seq, What: fmt.Sprintf("snapshot version %d", m.Version)}
	}
	if m.Epoch == 0 || len(m.Chain) != sha256.Size || len(m.StateHash) != 16 || m.State == nil {
		return nil, errors.New("the manifest has no position, state hash or state")
	}
	next := uint64(1)
	for _, part := range m.Segments {
		if part.FirstRelease != next || part.LastRelease < next {
			return nil, fmt.Errorf("a segment from release %d to %d follows release %d", part.FirstRelease, part.LastRelease, next-1)
		}
		next = part.LastRelease + 1
	}
	for _, part := range parts(m) {
		if !strings.HasPrefix(part.Key, prefix(m.Log)) || blob.CheckKey(part.Key) != nil || len(part.Sha256) != sha256.Size {
			return nil, fmt.Errorf("%.100q is no part of a snapshot of %s", part.Key, m.Log)
		}
	}
	return m, nil
}

// At is the position a manifest leads to.
func At(m *recordpb.Manifest) record.Position {
	p := record.Position{Epoch: m.Epoch, Seq: m.Seq}
	copy(p.Chain[:], m.Chain)
	return p
}

// parts returns all parts in the order of loading.
func parts(m *recordpb.Manifest) []*recordpb.Part {
	all := append([]*recordpb.Part{m.State}, m.Segments...)
	if m.Tail != nil {
		all = append(all, m.Tail)
	}
	return all
}

func fetch(ctx context.Context, store blob.Store, key string) ([]byte, error) {
	body, info, err := store.Get(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	defer body.Close()
	if info.Size > maxManifest {
		return nil, fmt.Errorf("object %s of %d bytes is no manifest", key, info.Size)
	}
	data, err := io.ReadAll(io.LimitReader(body, maxManifest))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	return data, nil
}

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
