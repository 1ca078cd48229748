package record

import (
	"bytes"
	"crypto/sha256"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"svc/replication/record/recordpb"
)

// verify checks a whole change.
func verify(c *Change) error {
	if !validLog(c.Log) {
		return c.corrupt("no log id")
	}
	if err := verifyPlace(c); err != nil {
		return err
	}
	want := newBody(c.Kind)
	if want == nil {
		return c.unknown("kind %q", shorten(string(c.Kind)))
	}
	if c.Body == nil || want.ProtoReflect().Descriptor() != c.Body.ProtoReflect().Descriptor() {
		return c.corrupt("its body is a %T, which is no %s", c.Body, c.Kind)
	}
	return verifyBody(c, c.Body)
}

// verifyPlace checks the position and the link of the chain.
func verifyPlace(c *Change) error {
	if c.Position.Epoch == 0 || c.Position.Seq == 0 {
		return c.corrupt("epoch %d and sequence %d count from 1", c.Position.Epoch, c.Position.Seq)
	}
	if c.Position.Seq == 1 && c.Prev != (Hash{}) {
		return c.corrupt("it is the first of its log and names a chain before it")
	}
	if Link(c.Prev, c.Position.Seq, c.Kind, c.Digest) != c.Position.Chain {
		return c.corrupt("its chain is not the link of what it names")
	}
	return nil
}

// verifyBody checks a body of the right type against the digest and, in a release, every item against its hash.
func verifyBody(c *Change, body proto.Message) error {
	digest, err := Digest(c.Kind, body)
	if err != nil {
		return c.corrupt("%v", err)
	}
	release, _ := body.(*recordpb.Release)
	if digest != c.Digest {
		if hasUnknown(body.ProtoReflect()) {
			return c.unknown("members of a %s", c.Kind)
		}
		return c.corrupt("its body does not have its digest")
	}
	if release == nil {
		return nil
	}
	last := ""
	for _, it := range release.Items {
		if it.Entry <= last {
			return c.corrupt("entry %q comes after %q", shorten(it.Entry), shorten(last))
		}
		last = it.Entry
		if err := verifyItem(c, it); err != nil {
			return err
		}
	}
	return nil
}

func verifyItem(c *Change, it *recordpb.Item) error {
	switch it.Operation {
	case recordpb.Operation_OPERATION_PUT:
		if sum := sha256.Sum256(it.Fields); !bytes.Equal(sum[:], it.FieldsHash) {
			return c.corrupt("the fields of entry %q do not have their hash", shorten(it.Entry))
		}
	case recordpb.Operation_OPERATION_UNPUBLISH, recordpb.Operation_OPERATION_DELETE:
		if len(it.Fields) > 0 || len(it.FieldsHash) > 0 || it.Revision != "" {
			return c.corrupt("entry %q is taken away and has content", shorten(it.Entry))
		}
	default:
		return c.unknown("operation %d", it.Operation)
	}
	return nil
}

// hasUnknown reports whether a message, or one in its lists, has fields of a newer build.
func hasUnknown(m protoreflect.Message) bool {
	found := len(m.GetUnknown()) > 0
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		if field.IsList() && field.Message() != nil {
			for i := range value.List().Len() {
				found = found || hasUnknown(value.List().Get(i).Message())
			}
		}
		return !found
	})
	return found
}

// validLog reports whether s can be a log id: what a typed id is made of, so it is safe in subjects and keys.
func validLog(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}

func shorten(s string) string {
	if len(s) > 64 {
		return s[:64] + "…"
	}
	return s
}
