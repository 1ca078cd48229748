package record

import (
	"bufio"
	"bytes"
	"testing"

	"google.golang.org/protobuf/proto"
)

// FuzzDecode feeds bytes to the reader of envelopes: it answers with a change that encodes again, or with one of its two
// errors.
func FuzzDecode(f *testing.F) {
	for kind, body := range bodies() {
		e, err := Encode(change(f, Position{Epoch: 1, Seq: 3, Chain: Hash{1}}, kind, body), InlineLimit)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(e.Envelope, []byte(nil))
	}
	for kind, body := range map[Kind]proto.Message{KindRelease: bodies()[KindRelease], KindProject: pinned()} {
		e, err := Encode(change(f, Position{}, kind, body), 0)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(e.Envelope, e.Blob)
	}
	f.Fuzz(func(t *testing.T, envelope, object []byte) {
		c, blob, err := Decode(envelope)
		if err == nil && blob != nil {
			c, err = blob.Open(object)
		}
		if err != nil {
			if !isCorrupt(err) && !isUnknown(err) {
				t.Fatalf("error %T %v", err, err)
			}
			return
		}
		if _, err := Encode(c, InlineLimit); err != nil {
			t.Fatalf("was read and cannot be written: %v", err)
		}
	})
}

// FuzzReadFrame feeds bytes to the reader of frames, which must end.
func FuzzReadFrame(f *testing.F) {
	f.Add([]byte{3, 'o', 'n', 'e', 0, 2, 'x'})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, total := bufio.NewReader(bytes.NewReader(b)), 0
		for {
			frame, err := ReadFrame(r)
			if err != nil {
				return
			}
			if total += len(frame); total > len(b) {
				t.Fatal("more came out than went in")
			}
		}
	})
}

// FuzzDecodeHeartbeat feeds bytes to the reader of heartbeats.
func FuzzDecodeHeartbeat(f *testing.F) {
	h := Heartbeat{Core: "core-1", Heads: []Head{{testLog, Position{2, 7, Hash{9}}}}}
	b, err := h.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := DecodeHeartbeat(b)
		if err != nil {
			return
		}
		if _, err := h.Encode(); err != nil {
			t.Fatal(err)
		}
	})
}
