package record

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"google.golang.org/protobuf/proto"

	"svc/replication/record/recordpb"
)

// BlobKey is where the body of a large change lies in object storage. The hash of its bytes is part of the key, so
// two histories of one log never overwrite each other.
func BlobKey(log string, seq uint64, sum Hash) string {
	return fmt.Sprintf("changes/%s/%d-%s", log, seq, sum)
}

// Blob is the body of a large change that still has to be fetched.
type Blob struct {
	Key  string
	Size int64 // bytes of the object

	header   *Change
	sum      Hash
	encoding recordpb.Encoding
}

func newBlob(c *Change, env *recordpb.Envelope) (*Blob, error) {
	if len(env.Body) > 0 {
		return nil, c.corrupt("it has both a body and the address of one")
	}
	b := &Blob{Key: env.Blob.Key, Size: int64(env.Blob.Size), header: c, encoding: env.Encoding}
	if env.Blob.Size > MaxBody {
		return nil, c.corrupt("its body in object storage of %d bytes is larger than %d", env.Blob.Size, MaxBody)
	}
	if len(env.Blob.Sha256) != sha256.Size {
		return nil, c.corrupt("the hash of its body in object storage has %d bytes", len(env.Blob.Sha256))
	}
	copy(b.sum[:], env.Blob.Sha256)
	if want := BlobKey(c.Log, c.Position.Seq, b.sum); b.Key != want {
		return nil, c.corrupt("its body lies under %q instead of %q", shorten(b.Key), want)
	}
	return b, nil
}

// Open returns the whole change from the bytes of the object, after the same checks as Decode.
func (b *Blob) Open(object []byte) (*Change, error) {
	if int64(len(object)) != b.Size {
		return nil, b.header.corrupt("object %s has %d bytes instead of %d", b.Key, len(object), b.Size)
	}
	if sum := sha256.Sum256(object); !bytes.Equal(sum[:], b.sum[:]) {
		return nil, b.header.corrupt("object %s does not have the hash in its name", b.Key)
	}
	var body proto.Message
	body, err := decodeBody(b.header, b.encoding, object)
	if err != nil {
		return nil, err
	}
	c := *b.header
	c.Body = body
	return &c, nil
}
