package snapshot_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/replication/snapshot"
	"svc/shared/blob"
	"svc/shared/blob/blobtest"
	"svc/shared/fault"
)

// damages is what can become of an object; nil deletes it.
var damages = map[string]func([]byte) []byte{
	"a byte flipped": func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
	"half":           func(b []byte) []byte { return b[:len(b)/2] },
	"gone":           nil,
}

// TestADamagedSnapshotIsWrittenAgainForWhoAsksBeyondIt: whichever object is damaged, in whatever way, and although the log
// has not moved.
func TestADamagedSnapshotIsWrittenAgainForWhoAsksBeyondIt(t *testing.T) {
	core, project := filled(40)
	store := &blobtest.Memory{}
	k := keep(t, core, store, 1, snapshot.KeeperConfig{Policy: snapshot.Policy{Changes: 1 << 40, Items: 1 << 40, Age: time.Hour}})
	ref, err := k.Request(t.Context(), project, record.Position{})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := k.Request(t.Context(), project, ref.Position); !fault.Is(err, fault.Conflict) {
		t.Fatalf("beyond a whole snapshot of all there is: %v, %v", again, err)
	}
	var keys []string
	if err := store.List(t.Context(), "", func(o blob.Info) error { keys = append(keys, o.Key); return nil }); err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		for name, damage := range damages {
			if strings.Contains(key, "/at/") && strings.Contains(key, "/manifest-") {
				key = ref.Manifest.Key // each has another, for it tells its time
			}
			if strings.HasSuffix(key, "/latest") { // core does not need it
				continue
			}
			if damage == nil {
				err = store.Delete(t.Context(), key)
			} else {
				write(t, store, key, damage([]byte(read(t, store, key))))
			}
			if err != nil {
				t.Fatal(err)
			}
			m, err := snapshot.Open(t.Context(), store, project, ref.Manifest)
			if err == nil {
				_, err = load(t.Context(), store, m)
			}
			var damaged *snapshot.DamagedError
			if !errors.As(err, &damaged) || damaged.Part.Key != key {
				t.Errorf("%s, %s: it loads with %v", key, name, err)
			}
			if ref, err = k.Request(t.Context(), project, ref.Position); err != nil {
				t.Fatalf("%s, %s: %v", key, name, err)
			}
			if m, err = snapshot.Latest(t.Context(), store, project); err != nil || snapshot.At(m) != ref.Position {
				t.Fatalf("%s, %s: the newest is %v, %v", key, name, m, err)
			}
			if state, err := load(t.Context(), store, m); err != nil || state.Sum() != core.Sum(project) {
				t.Errorf("%s, %s: what was written again: %v", key, name, err)
			}
		}
	}
}

// TestALostSegmentIsWrittenAgainWithTheNextSnapshot: no one has to ask, and the snapshot before is whole again too.
func TestALostSegmentIsWrittenAgainWithTheNextSnapshot(t *testing.T) {
	core, project := filled(40)
	store := &blobtest.Memory{}
	w := &snapshot.Writer{Source: core, Blobs: store, Dir: t.TempDir(), SegmentBytes: 1500}
	write := func() *recordpb.Manifest {
		if _, err := w.Write(t.Context(), project); err != nil {
			t.Fatal(err)
		}
		m, err := snapshot.Latest(t.Context(), store, project)
		if err != nil || len(m.Segments) < 3 {
			t.Fatalf("%v, %v", m, err)
		}
		return m
	}
	before := write()
	if err := store.Delete(t.Context(), before.Segments[1].Key); err != nil {
		t.Fatal(err)
	}
	publish(core, project, 1)
	after := write()
	if _, err := load(t.Context(), store, before); err != nil {
		t.Errorf("the snapshot before: %v", err)
	}
	if state, err := load(t.Context(), store, after); err != nil || state.Sum() != core.Sum(project) {
		t.Errorf("the next snapshot: %v", err)
	}
}

// TestASnapshotThatDoesNotReadBackIsNone: a store that keeps other bytes than it was given, or half of them, or none, leads
// to no snapshot that anybody would be given.
func TestASnapshotThatDoesNotReadBackIsNone(t *testing.T) {
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			core, project := filled(40)
			store := &forging{damage: damage}
			w := &snapshot.Writer{Source: core, Blobs: store, Dir: t.TempDir(), SegmentBytes: 1500}
			for nth := 1; ; nth++ { // the first object written, the second, and so on
				store.nth, store.forged = nth, ""
				ref, err := w.Write(t.Context(), project)
				if store.forged == "" || strings.HasSuffix(store.forged, "/latest") { // which no one trusts
					if err != nil {
						t.Fatalf("object %d: %v", nth, err)
					}
					if err := w.Verify(t.Context(), ref); err != nil {
						t.Error(err)
					}
					return
				}
				var damaged *snapshot.DamagedError
				if !errors.As(err, &damaged) || damaged.Part.Key != store.forged {
					t.Fatalf("%s: %v", store.forged, err)
				}
				if refs, err := core.Recorded(t.Context(), project, 1); err != nil || len(refs) > 0 {
					t.Fatalf("%s: recorded %v, %v", store.forged, refs, err)
				}
			}
		})
	}
}

// forging keeps something else in place of the nth object it is given.
type forging struct {
	blobtest.Memory
	damage func([]byte) []byte
	nth    int
	forged string // the key of that
}

func (s *forging) Put(ctx context.Context, key string, body io.Reader, size int64, o blob.PutOptions) error {
	if s.nth--; s.nth != 0 {
		return s.Memory.Put(ctx, key, body, size, o)
	}
	s.forged = key
	if s.damage == nil {
		return nil
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	data = s.damage(data)
	return s.Memory.Put(ctx, key, bytes.NewReader(data), int64(len(data)), o)
}
