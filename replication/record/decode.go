package record

import (
	"time"

	"google.golang.org/protobuf/proto"

	"svc/replication/record/recordpb"
)

// Decode reads an envelope and checks it: the chain is the link of what precedes it, the digest is that of the
// body, and the fields of every entry are those of their hash. Where the body lies in object storage, the change
// comes without its Body and blob tells where; Blob.Open completes it.
//
// What is no record, or not the one it claims to be, is a CorruptError. What a newer build wrote and this one
// cannot read is an UnknownError. Both name the log and the sequence as far as they could be read.
func Decode(envelope []byte) (c *Change, blob *Blob, err error) {
	var env recordpb.Envelope
	if err := proto.Unmarshal(envelope, &env); err != nil {
		return nil, nil, &CorruptError{Reason: "no envelope", Err: err}
	}
	c, err = header(&env)
	if err != nil {
		return nil, nil, err
	}
	if env.Blob != nil {
		blob, err := newBlob(c, &env)
		if err != nil {
			return nil, nil, err
		}
		return c, blob, nil
	}
	if c.Body, err = decodeBody(c, env.Encoding, env.Body); err != nil {
		return nil, nil, err
	}
	if err := verifyStamp(c, &env); err != nil {
		return nil, nil, err
	}
	return c, nil, nil
}

// header reads all but the body.
func header(env *recordpb.Envelope) (*Change, error) {
	c := &Change{
		Log:      env.Log,
		Position: Position{Epoch: env.Epoch, Seq: env.Seq},
		Kind:     Kind(env.Kind),
		Time:     time.UnixMilli(env.TimeMs).UTC(),
	}
	if !validLog(c.Log) {
		c.Log = ""
		return nil, c.corrupt("no log id")
	}
	if v := Version(env.Version); v < Oldest || v > Newest {
		return nil, c.unknown("envelope version %d", env.Version)
	}
	for _, h := range []struct {
		name string
		to   *Hash
		from []byte
	}{{"chain", &c.Position.Chain, env.Chain}, {"previous chain", &c.Prev, env.PrevChain}, {"digest", &c.Digest, env.Digest}} {
		if len(h.from) != len(h.to) {
			return nil, c.corrupt("its %s has %d bytes instead of %d", h.name, len(h.from), len(h.to))
		}
		copy(h.to[:], h.from)
	}
	if err := verifyPlace(c); err != nil {
		return nil, err
	}
	if newBody(c.Kind) == nil {
		return nil, c.unknown("kind %q", shorten(env.Kind))
	}
	return c, nil
}

// decodeBody reads the body of a change whose header is known, and checks it against the digest.
func decodeBody(c *Change, encoding recordpb.Encoding, encoded []byte) (proto.Message, error) {
	plain := encoded
	switch encoding {
	case recordpb.Encoding_ENCODING_PLAIN:
	case recordpb.Encoding_ENCODING_ZSTD:
		var err error
		if plain, err = decompress(encoded); err != nil {
			return nil, &CorruptError{Log: c.Log, Seq: c.Position.Seq, Reason: "its body cannot be decompressed", Err: err}
		}
	default:
		return nil, c.unknown("encoding %d", encoding)
	}
	if len(plain) > MaxBody {
		return nil, c.corrupt("its body of %d bytes is larger than %d", len(plain), MaxBody)
	}
	body := newBody(c.Kind)
	if err := proto.Unmarshal(plain, body); err != nil {
		return nil, &CorruptError{Log: c.Log, Seq: c.Position.Seq, Reason: "its body is no " + string(c.Kind), Err: err}
	}
	if err := verifyBody(c, body); err != nil {
		return nil, err
	}
	return body, nil
}

// newBody returns an empty message of a kind, nil for one that this build does not know.
func newBody(kind Kind) proto.Message {
	switch kind {
	case KindProject:
		return &recordpb.Project{}
	case KindSchema:
		return &recordpb.Schema{}
	case KindRelease:
		return &recordpb.Release{}
	case KindRank:
		return &recordpb.Rank{}
	case KindOrganization:
		return &recordpb.Organization{}
	case KindKey:
		return &recordpb.Key{}
	}
	return nil
}

// DecodeBody reads the plain, encoded message of a kind, as core stores it for small kinds and as snapshots frame
// it. It checks no digest. An unknown kind is an UnknownError.
func DecodeBody(kind Kind, plain []byte) (proto.Message, error) {
	body := newBody(kind)
	if body == nil {
		return nil, (&Change{}).unknown("kind %q", shorten(string(kind)))
	}
	if err := proto.Unmarshal(plain, body); err != nil {
		return nil, &CorruptError{Reason: "no " + string(kind), Err: err}
	}
	return body, nil
}

// EncodeBody is the inverse of DecodeBody.
func EncodeBody(body proto.Message) ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true}.Marshal(body)
}
