package snapshot

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/blob"
)

// segmentBytes is how large the releases of a segment are, before compression, when it is closed.
const segmentBytes = 64 << 20

// ErrNotNewer is returned by Write where the log has not moved since its newest snapshot.
var ErrNotNewer = errors.New("the log has no change since its newest snapshot")

// Writer writes snapshots.
type Writer struct {
	Source Source
	Blobs  blob.Store
	// Dir is where parts lie until they are complete; the system's directory for temporary files where empty.
	Dir string
	// SegmentBytes closes a segment; 64 MB where zero.
	SegmentBytes int64
	// Version holds the writer to an older record version: it writes no snapshot that says what takes a newer one. Zero
	// holds it to none.
	Version record.Version
}

// Write writes a snapshot of a log as it is now and makes it the newest one. Where objects of the newest one are lost, none
// counts any longer, and everything is written again.
func (w *Writer) Write(ctx context.Context, log string) (Ref, error) {
	newest, err := w.Source.Recorded(ctx, log, 1)
	if err != nil {
		return Ref{}, err
	}
	if len(newest) > 0 {
		err := w.forget(ctx, log, w.CheckPresent(ctx, newest[0]))
		var damaged *DamagedError
		if errors.As(err, &damaged) {
			newest = nil
		} else if err != nil {
			return Ref{}, err
		}
	}
	var m *recordpb.Manifest
	err = w.Source.View(ctx, log, func(v View) error {
		if len(newest) > 0 && !Before(newest[0].Position, v.Position()) {
			return ErrNotNewer
		}
		m, err = w.parts(ctx, log, v)
		return err
	})
	if err != nil {
		return Ref{}, err
	}
	return w.publish(ctx, m)
}

// parts writes all parts of a view and describes them.
func (w *Writer) parts(ctx context.Context, log string, v View) (*recordpb.Manifest, error) {
	at := v.Position()
	m := &recordpb.Manifest{
		Version: uint32(record.Oldest), Log: log, Epoch: at.Epoch, Seq: at.Seq, Chain: at.Chain[:], TimeMs: v.Time().UnixMilli(),
		Segments: v.Segments(),
	}
	hash, err := v.StateHash(ctx)
	if err != nil {
		return nil, err
	}
	m.StateHash = hash.Bytes()
	if err := w.state(ctx, m, v); err != nil {
		return nil, err
	}
	return m, w.releases(ctx, m, v)
}

func (w *Writer) state(ctx context.Context, m *recordpb.Manifest, v View) (err error) {
	s, err := newSpool(w.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.discard()) }()
	err = v.State(ctx, func(kind record.Kind, body proto.Message) error {
		m.Version = max(m.Version, uint32(record.VersionFor(body)))
		return errors.Join(w.Version.Allow(m.Log, m.Seq, body), s.add(kind, body))
	})
	if err != nil {
		return err
	}
	m.State, err = s.put(ctx, w.Blobs, func(sum []byte) string { return atKey(m.Log, At(m), "state", sum) })
	return err
}

// releases writes what no segment has yet: full segments, then the tail with what is left over and the ranks.
func (w *Writer) releases(ctx context.Context, m *recordpb.Manifest, v View) (err error) {
	r := &releaseParts{Writer: w, manifest: m}
	if n := len(m.Segments); n > 0 {
		r.last = m.Segments[n-1].LastRelease
	}
	r.first = r.last + 1
	if r.spool, err = newSpool(w.Dir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.spool.discard()) }()
	err = v.Releases(ctx, r.last, func(release *recordpb.Release) error { return r.add(ctx, release) })
	if err != nil {
		return err
	}
	if err := v.Ranks(ctx, r.spool.add); err != nil {
		return err
	}
	if r.spool.raw == 0 {
		return nil
	}
	m.Tail, err = r.spool.put(ctx, w.Blobs, func(sum []byte) string { return atKey(m.Log, At(m), "tail", sum) })
	if err != nil {
		return err
	}
	m.Tail.FirstRelease, m.Tail.LastRelease = r.first, r.last
	return nil
}

// releaseParts cuts a run of releases into segments.
type releaseParts struct {
	*Writer
	manifest    *recordpb.Manifest
	spool       *spool
	first, last uint64 // of the releases in the spool
}

func (r *releaseParts) add(ctx context.Context, release *recordpb.Release) error {
	if err := r.spool.add(record.KindRelease, release); err != nil {
		return err
	}
	r.last = release.Number
	if r.spool.raw < cmp.Or(r.SegmentBytes, segmentBytes) {
		return nil
	}
	if err := r.closeSegment(ctx); err != nil {
		return err
	}
	next, err := newSpool(r.Dir)
	if err != nil {
		return err
	}
	err = r.spool.discard()
	r.spool, r.first = next, r.last+1
	return err
}

func (r *releaseParts) closeSegment(ctx context.Context) error {
	segment, err := r.spool.put(ctx, r.Blobs, func(sum []byte) string { return segmentKey(r.manifest.Log, r.first, r.last, sum) })
	if err != nil {
		return err
	}
	segment.FirstRelease, segment.LastRelease = r.first, r.last
	if err := r.Source.AddSegment(ctx, r.manifest.Log, segment); err != nil {
		return err
	}
	r.manifest.Segments = append(r.manifest.Segments, segment)
	return nil
}

// publish writes the manifest and moves the pointer to it.
func (w *Writer) publish(ctx context.Context, m *recordpb.Manifest) (Ref, error) {
	data, err := proto.Marshal(m)
	if err != nil {
		return Ref{}, fmt.Errorf("encode a manifest: %w", err)
	}
	if _, err := DecodeManifest(data); err != nil {
		return Ref{}, fmt.Errorf("the manifest just written of %s would not be read: %w", m.Log, err)
	}
	sum := sha256.Sum256(data)
	at := At(m)
	ref := Ref{Log: m.Log, Position: at, Manifest: &recordpb.Part{
		Key: atKey(m.Log, at, "manifest", sum[:]), Sha256: sum[:], Size: uint64(len(data)),
	}}
	if err := errors.Join(w.put(ctx, ref.Manifest.Key, data), checkHash(ctx, w.Blobs, ref.Manifest)); err != nil {
		return Ref{}, err
	}
	pointer, err := proto.Marshal(ref.Manifest)
	if err != nil {
		return Ref{}, fmt.Errorf("encode a pointer: %w", err)
	}
	moved, err := w.Source.Advance(ctx, ref, func(ctx context.Context) error {
		return w.put(ctx, latestKey(m.Log), pointer)
	})
	if err == nil && !moved {
		err = ErrNotNewer
	}
	return ref, err
}

func (w *Writer) put(ctx context.Context, key string, data []byte) error {
	err := w.Blobs.Put(ctx, key, bytes.NewReader(data), int64(len(data)), blob.PutOptions{ContentType: "application/x-protobuf"})
	if err != nil {
		return fmt.Errorf("write %s: %w", key, err)
	}
	return nil
}
