package write

import (
	"bytes"
	"fmt"
	"maps"
	"runtime"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
	"svc/replication/record/recordpb"
)

// noteTexts counts the bytes of fields that a release publishes whose words are to be indexed.
func (w *Writer) noteTexts(a *Collection, items []*recordpb.Item) {
	if !a.Definitions.HasTexts() {
		return
	}
	for _, item := range items {
		w.State.NewTexts += int64(len(item.Fields))
	}
}

func (w *Writer) putTexts(a *Collection, t layout.TextsIndexed) error {
	a.Texts = t
	w.value = t.Append(w.value[:0])
	w.key = w.State.Gen.Collection(w.key, layout.TableTexts, a.Number)
	return w.out.Put(w.key, w.value, nil)
}

// AllTextsIndexed notes that a load has indexed all words of a collection.
func (w *Writer) AllTextsIndexed(a *Collection) error {
	return w.putTexts(a, layout.TextsIndexed{Release: a.touched})
}

// TextPass is to index the words of what some releases published in a collection. It changes what of the index no reader believes before
// the pass is over, so releases may go on meanwhile.
type TextPass struct {
	Gen        layout.Generation
	Collection string
	number     uint32
	span       layout.TextSpan
	options    Options
	// Resumed says that it is one that was interrupted; what was published since is left to another.
	Resumed bool
}

// BeginTexts chooses a collection with words that are not indexed, but none of those that are done, and the span of releases to index.
// A pass that was interrupted is begun again, with the same span: what it has written already counts. nil: there is none.
func (w *Writer) BeginTexts(done map[string]bool) (*TextPass, error) {
	for name, a := range w.State.Collections {
		if done[name] {
			continue
		}
		if err := a.open(w.it, w.State.Gen, false); err != nil {
			return nil, err
		}
		if a.Texts.Release >= a.touched || !a.Definitions.HasTexts() {
			continue
		}
		resumed := a.Texts.Target != 0
		if !resumed {
			if err := w.putTexts(a, layout.TextsIndexed{Release: a.Texts.Release, Target: a.touched}); err != nil {
				return nil, err
			}
		}
		span := layout.TextSpan{From: a.Texts.Release, To: a.Texts.Target}
		return &TextPass{Gen: w.State.Gen, Collection: a.Name, number: a.Number, span: span, options: w.options, Resumed: resumed}, nil
	}
	return nil, nil
}

// EndTexts notes that the span of a pass is indexed.
func (w *Writer) EndTexts(p *TextPass) error {
	a, err := w.collection(p.Collection)
	if err != nil {
		return err
	}
	return w.putTexts(a, layout.TextsIndexed{Release: p.span.To})
}

// Run writes the batches of the pass, each of which commit stores.
func (p *TextPass) Run(db *pebble.DB, commit func(*pebble.Batch) error) (err error) {
	r := snapshot.New(db, p.Gen)
	defer func() { err = layout.JoinClose(err, r) }()
	it, err := r.Iterator(snapshot.Primary)
	if err != nil {
		return err
	}
	defs := index.NewDefinitions()
	if err := index.ReadDefinitions(it, p.Gen, p.number, defs.Add); err != nil {
		return err
	}
	entries, err := p.entries(r, it)
	if err != nil {
		return err
	}
	batch := db.NewBatch()
	defer func() { err = layout.JoinClose(err, batch) }()
	x := index.NewWriter(index.Target{
		Generation: p.Gen, Collection: p.number, Out: layout.Batch{Batch: batch}, Stored: it, Chunks: p.options.Chunks,
	}, index.Texts(defs.ByField))
	pass, err := x.TextPass(db, p.span)
	if err != nil {
		return err
	}
	defer func() { err = layout.JoinClose(err, pass) }()
	flush := func() error {
		if err := x.Flush(); err != nil {
			return err
		}
		err := commit(batch)
		batch.Reset()
		return err
	}
	for _, e := range entries {
		runtime.Gosched() // a reader waits for one document, and not until the scheduler takes the processor away, which is 10 ms
		if err := pass.Entry(e); err != nil {
			return fmt.Errorf("entry %s: %w", e.Text(), err)
		}
		if x.Size() < p.options.TextBatch {
			continue
		}
		if err := flush(); err != nil {
			return err
		}
	}
	return flush()
}

// entries are those that the releases published or took away, in the order of their keys.
func (p *TextPass) entries(r *snapshot.Reader, it *pebble.Iterator) ([]layout.EntryID, error) {
	documents := roaring.New()
	err := snapshot.EachDelta(it, p.Gen, p.number, p.span.From+1, p.span.To, func(_ uint64, d *layout.LiveDelta, removed *roaring.Bitmap) error {
		documents.AddRange(uint64(d.First), uint64(d.First)+uint64(d.Added))
		documents.Or(removed)
		return nil
	})
	if err != nil {
		return nil, err
	}
	entries := map[layout.EntryID]bool{}
	for d := range roaring.Values(documents) {
		e, _, err := r.EntryOf(p.number, d)
		if err != nil {
			return nil, err
		}
		entries[e] = true
	}
	return slices.SortedFunc(maps.Keys(entries), func(a, b layout.EntryID) int { return bytes.Compare(b[:], a[:]) }), nil
}
