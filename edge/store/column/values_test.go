package column

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"svc/edge/store/layout"
	"svc/shared/testrand"
)

// world is documents whose values are known, and the ranks that were made of them.
type world struct {
	*rand.Rand
	ids  []layout.EntryID
	keys [][]byte // by document; nil: it has no value
	v    *Values
}

// newWorld reads some documents as if from an index.
func newWorld(t *testing.T, rng *rand.Rand) *world {
	t.Helper()
	w := &world{Rand: rng}
	for range 1 + rng.IntN(30) {
		var id layout.EntryID
		binary.BigEndian.PutUint64(id[:], rng.Uint64())
		w.ids = append(w.ids, id)
	}
	none := rng.IntN(8) == 0
	d := w.publish(&Documents{}, rng.IntN(60), none)
	w.v = &Values{Documents: d, every: 1 + rng.IntN(5), ranks: slices.Repeat([]uint32{missing}, len(w.keys))}
	l := loading{v: w.v}
	groups := map[string]*group{}
	for document, key := range w.keys {
		if key == nil {
			continue
		}
		if groups[string(key)] == nil {
			groups[string(key)] = &group{key: key}
		}
		groups[string(key)].documents = append(groups[string(key)].documents, uint32(document))
	}
	var order []string
	for key := range groups {
		order = append(order, key)
	}
	slices.Sort(order)
	for _, key := range order {
		if err := l.add(groups[key]); err != nil {
			t.Fatal(err)
		}
	}
	l.end()
	return w
}

// publish adds documents: of any entry, with few values, so that many have the same.
func (w *world) publish(d *Documents, documents int, none bool) *Documents {
	next := &Documents{entries: slices.Clone(d.entries), owners: slices.Clone(d.owners), before: slices.Clone(d.before)}
	for _, chunk := range d.latest {
		next.latest = append(next.latest, slices.Clone(chunk))
	}
	for range documents {
		n := uint32(w.IntN(len(w.ids)))
		next.grow(n)
		next.entries[n] = w.ids[n]
		latest := &next.latest[n/chunk][n%chunk]
		next.before = append(next.before, *latest)
		*latest = next.Count()
		next.owners = append(next.owners, n)
		var key []byte
		if !none && w.IntN(5) > 0 {
			key = []byte(fmt.Sprintf("%02d", 2*w.IntN(12)+1))
		}
		w.keys = append(w.keys, key)
	}
	return next
}

func (w *world) read(document uint32) ([]byte, bool, error) {
	return w.keys[document], w.keys[document] != nil, nil
}

// compare orders two documents by value and entry, as a list does.
func (w *world) compare(o Order, a, b uint32) int {
	x, y := w.keys[a], w.keys[b]
	n := 0
	switch {
	case x == nil || y == nil:
		n = cmp.Compare(btoi(x == nil), btoi(y == nil))
	case o == Descending:
		n = bytes.Compare(y, x)
	default:
		n = bytes.Compare(x, y)
	}
	if n == 0 {
		if n = w.v.Documents.compare(a, b); o == Newest {
			n = -n
		}
	}
	return n
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// told is what tells documents apart: two of one entry with one value may come in any order.
func (w *world) told(documents []uint32) (out []string) {
	for _, d := range documents {
		_, e := w.v.Entry(d)
		out = append(out, fmt.Sprintf("%s of %x", w.keys[d], e[:4]))
	}
	return out
}

// expected is a list of the documents with values from one key to another, behind a document; nil and -1: no bound.
func (w *world) expected(o Order, from, to []byte, behind int) (out []uint32) {
	for d := range uint32(len(w.keys)) {
		key := w.keys[d]
		if from != nil && (key == nil || bytes.Compare(key, from) < 0) || to != nil && (key == nil || bytes.Compare(key, to) >= 0) {
			continue
		}
		if behind < 0 || w.compare(o, d, uint32(behind)) > 0 {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b uint32) int { return w.compare(o, a, b) })
	return out
}

func (w *world) check(t *testing.T) {
	t.Helper()
	orders := []Order{Ascending, Descending}
	if !slices.ContainsFunc(w.keys, func(key []byte) bool { return key != nil }) {
		orders = append(orders, Newest)
	}
	for range 6 {
		o := orders[w.IntN(len(orders))]
		behind, in := -1, Everything
		var place *Place
		if len(w.keys) > 0 && w.IntN(2) == 0 {
			behind = w.IntN(len(w.keys))
			place = w.v.Place(uint32(behind))
		}
		var from, to []byte
		if o != Newest && w.IntN(2) == 0 {
			from, to = []byte(fmt.Sprintf("%02d", w.IntN(26))), []byte(fmt.Sprintf("%02d", w.IntN(26)))
			in = Interval{w.find(t, from), w.find(t, to)}
			if bytes.Compare(from, to) > 0 {
				from, to, in = to, from, Interval{in.To, in.From}
			}
		}
		what := fmt.Sprintf("order %d from %s to %s behind %d", o, from, to, behind)
		want := w.expected(o, from, to, behind)
		var got []uint32
		for walk := w.v.Walk(o, in, place); ; {
			d, ok := walk.Next()
			if !ok {
				break
			}
			got = append(got, d)
		}
		if !slices.Equal(w.told(got), w.told(want)) {
			t.Fatalf("%s walks\n%s, want\n%s", what, w.told(got), w.told(want))
		}
		w.checkInterval(t, in, from, to)
		top := Top{V: w.v, Order: o, Behind: place, Limit: 1 + w.IntN(10)}
		for _, d := range w.Perm(len(w.keys)) {
			if in.Holds(w.v.Rank(uint32(d))) {
				top.Offer(uint32(d))
			}
		}
		if first := want[:min(top.Limit, len(want))]; !slices.Equal(w.told(top.First), w.told(first)) || top.More != (len(want) > top.Limit) {
			t.Fatalf("%s: the first %d are\n%s, more %v, want\n%s of %d", what, top.Limit, w.told(top.First), top.More, w.told(first), len(want))
		}
	}
}

func (w *world) find(t *testing.T, key []byte) Rank {
	t.Helper()
	rank, err := w.v.Find(key, uint32(len(w.keys)), w.read)
	if err != nil {
		t.Fatal(err)
	}
	return rank
}

func (w *world) checkInterval(t *testing.T, in Interval, from, to []byte) {
	t.Helper()
	want := w.expected(Ascending, from, to, -1)
	each := slices.Sorted(w.v.Each(in))
	slices.Sort(want)
	if !slices.Equal(each, want) || w.v.Len(in) != len(want) {
		t.Fatalf("from %s to %s are %v, %d of them, want %v", from, to, each, w.v.Len(in), want)
	}
}

// Ranks that were read from an index, and those of documents that came later, order documents as their values and the ids of their
// entries do: in walks, in bounds and in the first of any documents. What was known before stays as it was.
func TestRanksOrderDocumentsAsTheirValuesDo(t *testing.T) {
	t.Parallel()
	rng := testrand.New(t)
	for range 200 * testrand.Scale {
		w := newWorld(t, rng)
		none := !slices.ContainsFunc(w.keys, func(key []byte) bool { return key != nil })
		w.check(t)
		for range 4 {
			before, keys := w.v, w.keys
			d := w.publish(w.v.Documents, rng.IntN(12), none)
			next, err := w.v.extend(d, d.Count(), w.read)
			if err != nil {
				t.Fatal(err)
			}
			w.v = next
			w.check(t)
			grown := w.keys
			w.v, w.keys = before, keys
			w.check(t)
			w.v, w.keys = next, grown
		}
	}
}

// A reader of a former moment finds where a value stands among the documents that it has, though ranks are of later ones too.
func TestAFormerMomentFindsValuesAmongItsOwnDocuments(t *testing.T) {
	t.Parallel()
	rng := testrand.New(t)
	for range 200 * testrand.Scale {
		w := newWorld(t, rng)
		d := w.publish(w.v.Documents, rng.IntN(12), false)
		var err error
		if w.v, err = w.v.extend(d, d.Count(), w.read); err != nil {
			t.Fatal(err)
		}
		ever := uint32(rng.IntN(len(w.keys) + 1))
		read := func(document uint32) ([]byte, bool, error) {
			if document >= ever {
				return nil, false, fmt.Errorf("document %d of %d is read", document, ever)
			}
			return w.read(document)
		}
		for n := range 26 {
			key := []byte(fmt.Sprintf("%02d", n))
			rank, err := w.v.Find(key, ever, read)
			if err != nil {
				t.Fatal(err)
			}
			for document, has := range w.keys[:ever] {
				if got := w.v.Rank(uint32(document)); has != nil && cmp.Compare(got, rank) != bytes.Compare(has, key) {
					t.Fatalf("of %d documents one has %s and the rank %x; %s is found at %x", ever, has, got, key, rank)
				}
			}
		}
	}
}

// The newest document of an entry is told of every moment.
func TestDocumentsTellTheNewestOfEveryMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testrand.New(t))
	d := w.publish(w.v.Documents, 100, false)
	for count := range d.Count() + 1 {
		for n := range uint32(len(w.ids)) {
			want, has := uint32(0), false
			for at, owner := range d.owners[:count] {
				if owner == n {
					want, has = uint32(at), true
				}
			}
			if got, ok := d.Of(n, count); ok != has || has && got != want {
				t.Fatalf("of %d documents entry %d has %d %v, want %d %v", count, n, got, ok, want, has)
			}
		}
	}
}

// The cache stays within its bound and drops what was used least. What is dropped is read again.
func TestTheCacheDropsWhatWasUsedLeast(t *testing.T) {
	t.Parallel()
	c := New(Config{Bytes: 200})
	reads := 0
	use := func(definition uint32) (read bool) {
		t.Helper()
		before := reads
		if _, err := grown(c, Field{Definition: definition}, 1, func(*Documents) (*Documents, error) {
			reads++
			return &Documents{owners: make([]uint32, 10)}, nil // 80 bytes
		}); err != nil {
			t.Fatal(err)
		}
		if c.bytes > 200 {
			t.Errorf("%d bytes are kept", c.bytes)
		}
		return reads > before
	}
	for n, step := range []struct {
		definition uint32
		read       bool
	}{{1, true}, {2, true}, {1, false}, {3, true}, {1, false}, {3, false}, {2, true}, {3, false}, {1, true}} {
		if got := use(step.definition); got != step.read {
			t.Errorf("step %d reads %d: %v", n, step.definition, got)
		}
	}
}
