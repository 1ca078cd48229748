package record

import (
	"crypto/sha256"
	"fmt"

	"google.golang.org/protobuf/proto"

	"svc/replication/record/recordpb"
)

const (
	// InlineLimit is the largest encoded body, in bytes, that travels in a message of the stream. A larger one goes
	// to object storage and the message carries its address.
	InlineLimit = 512 << 10
	// MaxBody is the largest body of a change, in bytes before compression. Core refuses a publish beyond it, since
	// no edge would take it.
	MaxBody = 512 << 20
)

// Encoded is a change as bytes.
type Encoded struct {
	Envelope []byte
	// Blob is the encoded body of a large change; nil where the envelope carries it. It must be in object storage
	// under BlobKey before the envelope is sent.
	Blob    []byte
	BlobKey string
}

// Encode writes a change. A body whose encoded form exceeds limit bytes is split off as a blob; Inline writes it
// into the envelope whatever its size. The change is checked as Decode would, so that core never sends what every
// edge would refuse; a failed check is a CorruptError.
func Encode(c *Change, limit int) (Encoded, error) {
	if err := verify(c); err != nil {
		return Encoded{}, err
	}
	plain, err := proto.MarshalOptions{Deterministic: true}.Marshal(c.Body)
	if err != nil {
		return Encoded{}, fmt.Errorf("encode %s %d: %w", c.Log, c.Position.Seq, err)
	}
	if len(plain) > MaxBody {
		return Encoded{}, c.corrupt("its body of %d bytes is larger than %d", len(plain), MaxBody)
	}
	body, encoding := compress(plain)
	env := &recordpb.Envelope{
		Version:   uint32(VersionFor(c.Body)),
		Log:       c.Log,
		Epoch:     c.Position.Epoch,
		Seq:       c.Position.Seq,
		PrevChain: c.Prev[:],
		Chain:     c.Position.Chain[:],
		Kind:      string(c.Kind),
		Digest:    c.Digest[:],
		TimeMs:    c.Time.UnixMilli(),
		Encoding:  encoding,
	}
	if release, ok := c.Body.(*recordpb.Release); ok {
		env.Release, env.ReleaseMs = release.Number, release.PublishedMs
	}
	var out Encoded
	if len(body) > limit {
		sum := sha256.Sum256(body)
		out.Blob, out.BlobKey = body, BlobKey(c.Log, c.Position.Seq, sum)
		env.Blob = &recordpb.Blob{Key: out.BlobKey, Sha256: sum[:], Size: uint64(len(body))}
	} else {
		env.Body = body
	}
	if out.Envelope, err = proto.Marshal(env); err != nil {
		return Encoded{}, fmt.Errorf("encode %s %d: %w", c.Log, c.Position.Seq, err)
	}
	return out, nil
}

// Inline is Encode with the body in the envelope whatever its size, for answers that are no stream messages.
func Inline(c *Change) ([]byte, error) {
	e, err := Encode(c, MaxBody)
	return e.Envelope, err
}
