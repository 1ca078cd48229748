package record

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"svc/replication/record/recordpb"
	"svc/shared/testrand"
)

const testLog = "prj_01jh5m0000000000000000000"

func put(n int, fields string) *recordpb.Item {
	sum := sha256.Sum256([]byte(fields))
	return &recordpb.Item{
		Operation: recordpb.Operation_OPERATION_PUT, Entry: fmt.Sprintf("ent_%05d", n), Collection: "articles",
		Slug: fmt.Sprintf("slug-%d", n), Revision: fmt.Sprintf("rev_%05d", n), SchemaVersion: 3,
		Fields: []byte(fields), FieldsHash: sum[:],
	}
}

// change seals a body into a change behind a position.
func change(t testing.TB, after Position, kind Kind, body proto.Message) *Change {
	t.Helper()
	digest, err := Digest(kind, body)
	if err != nil {
		t.Fatal(err)
	}
	seq := after.Seq + 1
	return &Change{
		Log: testLog, Position: Position{Epoch: max(after.Epoch, 1), Seq: seq, Chain: Link(after.Chain, seq, kind, digest)},
		Prev: after.Chain, Kind: kind, Digest: digest, Time: time.UnixMilli(1_760_000_000_123).UTC(), Body: body,
	}
}

func bodies() map[Kind]proto.Message {
	return map[Kind]proto.Message{
		KindProject: &recordpb.Project{Id: testLog, Slug: "magazine", Name: "Magazine", Locales: []string{"en", "de"},
			DefaultLocale: "en", CursorKey: []byte("0123456789abcdef"), PublicApiEnabled: true},
		KindSchema: &recordpb.Schema{FromRelease: 4, Removed: []string{"old"}, Collections: []*recordpb.CollectionVersion{
			{Name: "articles", Version: 2, Canonical: []byte(`{"name":"articles"}`), Hash: "h", Label: "Articles"}}},
		KindRelease: &recordpb.Release{Number: 7, PublishedMs: 1_760_000_000_123, ChangeSet: "chs_1", Items: []*recordpb.Item{
			put(1, `{"title":"One"}`),
			{Operation: recordpb.Operation_OPERATION_UNPUBLISH, Entry: "ent_00002", Collection: "articles"},
			{Operation: recordpb.Operation_OPERATION_DELETE, Entry: "ent_00003", Collection: "articles"}}},
		KindRank:         &recordpb.Rank{Collection: "articles", Entries: []*recordpb.RankedEntry{{Entry: "ent_1", Rank: "a0"}, {Entry: "ent_2"}}},
		KindOrganization: &recordpb.Organization{Id: "org_1", Slug: "press", Name: "Press"},
		KindKey:          &recordpb.Key{Id: "key_1", PublicId: "p", Hash: make([]byte, 32), Scopes: []string{"content:read"}, ExpiresMs: 5},
	}
}

func large(t testing.TB) *Change {
	r := &recordpb.Release{Number: 1, PublishedMs: 1, ChangeSet: "chs_1"}
	noise := rand.NewChaCha8([32]byte{})
	for n := range 400 {
		raw := make([]byte, 2000)
		if _, err := noise.Read(raw); err != nil {
			t.Fatal(err)
		}
		r.Items = append(r.Items, put(n, fmt.Sprintf(`{"t":"%x"}`, raw)))
	}
	return change(t, Position{}, KindRelease, r)
}

func equal(t testing.TB, got, want *Change) {
	t.Helper()
	if !proto.Equal(got.Body, want.Body) {
		t.Fatalf("body %v, want %v", got.Body, want.Body)
	}
	a, b := *got, *want
	a.Body, b.Body = nil, nil
	if a != b {
		t.Fatalf("change %+v, want %+v", a, b)
	}
}

func TestEveryKindComesBackAsItWasWritten(t *testing.T) {
	for kind, body := range bodies() {
		c := change(t, Position{Epoch: 3, Seq: 9, Chain: Hash{1}}, kind, body)
		e, err := Encode(c, InlineLimit)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		got, blob, err := Decode(e.Envelope)
		if err != nil || blob != nil || e.Blob != nil {
			t.Fatalf("%s: %v, blob %v", kind, err, blob)
		}
		equal(t, got, c)
	}
}

func TestALargeBodyTravelsBesideTheEnvelope(t *testing.T) {
	c := large(t)
	e, err := Encode(c, InlineLimit)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Blob) <= InlineLimit || len(e.Envelope) > 1000 {
		t.Fatalf("envelope of %d bytes, blob of %d", len(e.Envelope), len(e.Blob))
	}
	if want := fmt.Sprintf("changes/%s/1-%x", testLog, sha256.Sum256(e.Blob)); e.BlobKey != want {
		t.Fatalf("key %s, want %s", e.BlobKey, want)
	}
	head, blob, err := Decode(e.Envelope)
	if err != nil || blob == nil || head.Body != nil || blob.Key != e.BlobKey || blob.Size != int64(len(e.Blob)) {
		t.Fatalf("head %v, blob %v, error %v", head, blob, err)
	}
	got, err := blob.Open(e.Blob)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, got, c)

	for name, object := range map[string][]byte{
		"short": e.Blob[:len(e.Blob)-1], "empty": nil, "other": append([]byte{^e.Blob[0]}, e.Blob[1:]...),
	} {
		if _, err := blob.Open(object); !isCorrupt(err) {
			t.Errorf("a %s object gave %v", name, err)
		}
	}
	inline, err := Inline(c)
	if err != nil {
		t.Fatal(err)
	}
	if got, blob, err = Decode(inline); err != nil || blob != nil {
		t.Fatalf("inline: %v, blob %v", err, blob)
	}
	equal(t, got, c)
}

func isCorrupt(err error) bool { var c *CorruptError; return errors.As(err, &c) }
func isUnknown(err error) bool { var u *UnknownError; return errors.As(err, &u) }

// tamper decodes an envelope, changes it and encodes it again.
func tamper(t *testing.T, envelope []byte, f func(*recordpb.Envelope)) []byte {
	t.Helper()
	var env recordpb.Envelope
	if err := proto.Unmarshal(envelope, &env); err != nil {
		t.Fatal(err)
	}
	f(&env)
	out, err := proto.Marshal(&env)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// resign makes a body look as if it was sent, with a digest and a chain of its own.
func resign(t *testing.T, body proto.Message) func(*recordpb.Envelope) {
	return func(env *recordpb.Envelope) {
		c := change(t, Position{}, KindRelease, body)
		plain, err := proto.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		env.Digest, env.Chain, env.Body = c.Digest[:], c.Position.Chain[:], plain
		env.Encoding = recordpb.Encoding_ENCODING_PLAIN
	}
}

func TestWhatDoesNotHoldTogetherIsDamaged(t *testing.T) {
	release := bodies()[KindRelease].(*recordpb.Release)
	good, err := Encode(change(t, Position{}, KindRelease, release), InlineLimit)
	if err != nil {
		t.Fatal(err)
	}
	altered := func(f func(*recordpb.Release)) proto.Message {
		r := proto.Clone(release).(*recordpb.Release)
		f(r)
		return r
	}
	for name, f := range map[string]func(*recordpb.Envelope){
		"another chain":          func(e *recordpb.Envelope) { e.Chain[0]++ },
		"a short chain":          func(e *recordpb.Envelope) { e.Chain = e.Chain[:31] },
		"another sequence":       func(e *recordpb.Envelope) { e.Seq++ },
		"no sequence":            func(e *recordpb.Envelope) { e.Seq = 0 },
		"no epoch":               func(e *recordpb.Envelope) { e.Epoch = 0 },
		"another digest":         func(e *recordpb.Envelope) { e.Digest[5]++ },
		"another body":           func(e *recordpb.Envelope) { e.Body[len(e.Body)-1]++ },
		"no body":                func(e *recordpb.Envelope) { e.Body = nil },
		"no log":                 func(e *recordpb.Envelope) { e.Log = "" },
		"a log of dots":          func(e *recordpb.Envelope) { e.Log = "../x" },
		"a broken frame":         func(e *recordpb.Envelope) { e.Encoding = recordpb.Encoding_ENCODING_ZSTD },
		"an address elsewhere":   func(e *recordpb.Envelope) { e.Body, e.Blob = nil, &recordpb.Blob{Key: "x", Sha256: make([]byte, 32)} },
		"a body and an address":  func(e *recordpb.Envelope) { e.Blob = &recordpb.Blob{Sha256: make([]byte, 32)} },
		"fields without hash":    resign(t, altered(func(r *recordpb.Release) { r.Items[0].FieldsHash = nil })),
		"fields of another hash": resign(t, altered(func(r *recordpb.Release) { r.Items[0].Fields = []byte(`{"title":"Two"}`) })),
		"entries out of order":   resign(t, altered(func(r *recordpb.Release) { r.Items[1].Entry = "ent_00000" })),
		"an entry twice":         resign(t, altered(func(r *recordpb.Release) { r.Items[1].Entry = r.Items[0].Entry })),
		"content of a deletion":  resign(t, altered(func(r *recordpb.Release) { r.Items[2].Fields = []byte("{}") })),
	} {
		if _, _, err := Decode(tamper(t, good.Envelope, f)); !isCorrupt(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := Decode([]byte("no protobuf")); !isCorrupt(err) {
		t.Error(err)
	}
}

func TestWhatANewerBuildWroteIsUnknownAndSaysWhatToDo(t *testing.T) {
	release := bodies()[KindRelease].(*recordpb.Release)
	c := change(t, Position{}, KindRelease, release)
	good, err := Encode(c, InlineLimit)
	if err != nil {
		t.Fatal(err)
	}
	newer := proto.Clone(release).(*recordpb.Release)
	newer.Items[0].ProtoReflect().SetUnknown([]byte{0xf8, 0x07, 0x01}) // field 127, of which only a newer digest knows
	kind := func(e *recordpb.Envelope) {
		e.Kind = "asset"
		digest := Hash(e.Digest)
		chain := Link(Hash{}, 1, "asset", digest)
		e.Chain = chain[:]
	}
	operation := proto.Clone(release).(*recordpb.Release)
	operation.Items[2].Operation = 9
	for name, f := range map[string]func(*recordpb.Envelope){
		"version":  func(e *recordpb.Envelope) { e.Version = uint32(Newest) + 1 },
		"kind":     kind,
		"encoding": func(e *recordpb.Envelope) { e.Encoding = 7 },
		"member": func(e *recordpb.Envelope) {
			resign(t, newer)(e)
			c := change(t, Position{}, KindRelease, bodies()[KindRelease])
			c.Digest[0]++
			c.Position.Chain = Link(Hash{}, 1, KindRelease, c.Digest)
			e.Digest, e.Chain = c.Digest[:], c.Position.Chain[:]
		},
		"operation": resign(t, operation),
	} {
		_, _, err := Decode(tamper(t, good.Envelope, f))
		var u *UnknownError
		if !errors.As(err, &u) || u.Log != testLog || u.Seq != 1 || !strings.Contains(err.Error(), "upgrade") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEncodeRefusesWhatDecodeWould(t *testing.T) {
	for name, f := range map[string]func(*Change){
		"chain":   func(c *Change) { c.Position.Chain[0]++ },
		"digest":  func(c *Change) { c.Body.(*recordpb.Release).Number++ },
		"fields":  func(c *Change) { c.Body.(*recordpb.Release).Items[0].Fields[2]++ },
		"message": func(c *Change) { c.Body = &recordpb.Key{} },
		"no body": func(c *Change) { c.Body = nil },
	} {
		c := change(t, Position{}, KindRelease, bodies()[KindRelease])
		f(c)
		if _, err := Encode(c, InlineLimit); !isCorrupt(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMemoryIsBoundedByWhatWasReceived(t *testing.T) {
	bomb := zstdWriter().EncodeAll(make([]byte, 64<<20), nil)
	if _, err := decompress(bomb); err == nil {
		t.Fatalf("%d bytes were taken for 64 MiB", len(bomb))
	}
	// Two frames in a row outgrow what the first one states.
	one := zstdWriter().EncodeAll(bytes.Repeat([]byte("abcdefgh"), 200), nil)
	if _, err := decompress(append(one, one...)); err == nil {
		t.Fatal("a second frame was taken")
	}
	// So the writer does not compress what would shrink beyond the bound.
	c := change(t, Position{}, KindRelease, &recordpb.Release{Number: 1, Items: []*recordpb.Item{
		put(1, `{"t":"`+strings.Repeat("a", 300<<10)+`"}`)}})
	e, err := Encode(c, InlineLimit)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Decode(e.Envelope); err != nil {
		t.Fatal(err)
	}
}

func TestCompressesWhereItHelps(t *testing.T) {
	var fields strings.Builder
	for n := range 400 {
		fmt.Fprintf(&fields, `"field number %d of a document":"with words that come again %d",`, n, n*7)
	}
	c := change(t, Position{}, KindRelease, &recordpb.Release{Number: 1, Items: []*recordpb.Item{put(1, fields.String())}})
	e, err := Encode(c, InlineLimit)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Envelope) > fields.Len()/2 {
		t.Fatalf("%d bytes for %d", len(e.Envelope), fields.Len())
	}
}

func TestFollowsAndRestates(t *testing.T) {
	at := Position{Epoch: 2, Seq: 5, Chain: Hash{7}}
	c := change(t, at, KindProject, bodies()[KindProject])
	for _, tt := range []struct {
		name              string
		p                 Position
		follows, restates bool
	}{
		{"the position before", at, true, false},
		{"the position before, in an older epoch", Position{1, 5, Hash{7}}, true, false},
		{"a newer epoch", Position{3, 5, Hash{7}}, false, false},
		{"another chain", Position{2, 5, Hash{8}}, false, false},
		{"further back", Position{2, 4, Hash{7}}, false, false},
		{"the change's own", c.Position, false, true},
		{"the change's own, in an older epoch", Position{1, 6, c.Position.Chain}, false, true},
		{"a twin", Position{2, 6, Hash{1}}, false, false},
	} {
		if got := c.Follows(tt.p); got != tt.follows {
			t.Errorf("%s: follows %v", tt.name, got)
		}
		if got := c.Restates(tt.p); got != tt.restates {
			t.Errorf("%s: restates %v", tt.name, got)
		}
	}
}

func TestRandomReleasesRoundTripAndChain(t *testing.T) {
	text := rapid.StringN(0, 40, 200)
	testrand.Check(t, func(rt *rapid.T) {
		at := Position{Epoch: rapid.Uint64Range(1, 9).Draw(rt, "epoch"), Seq: rapid.Uint64Range(0, 1<<40).Draw(rt, "seq")}
		if at.Seq > 0 {
			at.Chain = sha256.Sum256([]byte(text.Draw(rt, "chain")))
		}
		r := &recordpb.Release{Number: rapid.Uint64().Draw(rt, "number"), PublishedMs: rapid.Int64().Draw(rt, "ms"), ChangeSet: text.Draw(rt, "set")}
		for n := range rapid.IntRange(0, 20).Draw(rt, "items") {
			if rapid.Bool().Draw(rt, "put") {
				r.Items = append(r.Items, put(n, text.Draw(rt, "fields")))
			} else {
				r.Items = append(r.Items, &recordpb.Item{Operation: recordpb.Operation_OPERATION_DELETE,
					Entry: fmt.Sprintf("ent_%05d", n), Collection: text.Draw(rt, "collection")})
			}
		}
		c := change(t, at, KindRelease, r)
		if !c.Follows(at) {
			t.Fatal("does not follow")
		}
		limit := rapid.SampledFrom([]int{0, 100, InlineLimit}).Draw(rt, "limit")
		e, err := Encode(c, limit)
		if err != nil {
			t.Fatal(err)
		}
		got, blob, err := Decode(e.Envelope)
		if err != nil {
			t.Fatal(err)
		}
		if blob != nil {
			if got, err = blob.Open(e.Blob); err != nil {
				t.Fatal(err)
			}
		}
		equal(t, got, c)
	})
}

func TestFrames(t *testing.T) {
	var b bytes.Buffer
	for _, f := range []string{"one", "", strings.Repeat("x", 3<<20)} {
		if err := WriteFrame(&b, []byte(f)); err != nil {
			t.Fatal(err)
		}
	}
	whole := b.Bytes()
	r := bufio.NewReader(&b)
	for _, want := range []int{3, 0, 3 << 20} {
		f, err := ReadFrame(r)
		if err != nil || len(f) != want {
			t.Fatalf("%d bytes, %v", len(f), err)
		}
	}
	if _, err := ReadFrame(r); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	for _, cut := range []int{2, len(whole) - 1} {
		r := bufio.NewReader(bytes.NewReader(whole[:cut]))
		var err error
		for err == nil {
			_, err = ReadFrame(r)
		}
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
	if _, err := ReadFrame(bufio.NewReader(bytes.NewReader([]byte{0xff, 0xff, 0xff, 0xff, 0x7f}))); err == nil {
		t.Error("a frame of 34 GB was begun")
	}
}

func TestHeartbeatsAndPositionsComeBack(t *testing.T) {
	h := &Heartbeat{Core: "core-1", Settled: time.UnixMilli(1_760_000_000_123).UTC(), After: "org_1", Through: "prj_9",
		Heads: []Head{{testLog, Position{2, 7, Hash{9}}}, {"org_2", Position{1, 0, Hash{}}}}}
	b, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeHeartbeat(b)
	if err != nil || !got.All() || fmt.Sprint(got) != fmt.Sprint(h) {
		t.Fatalf("%v, %v, want %v", got, err, h)
	}
	for _, head := range h.Heads {
		if p, err := ParsePosition(head.Position.String()); err != nil || p != head.Position {
			t.Errorf("%s came back as %s, %v", head.Position, p, err)
		}
	}
	for _, s := range []string{"", "1.2", "1.2.zz", "1.2.00", "-1.2." + Hash{}.String(), "1.2.3." + Hash{}.String()} {
		if p, err := ParsePosition(s); err == nil {
			t.Errorf("%q was taken as %s", s, p)
		}
	}
}
