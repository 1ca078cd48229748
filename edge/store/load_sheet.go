package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// chunk is a run of neighbouring entries of a load, with all that was ever published of them.
type chunk struct {
	c        uint32
	entries  []sortKey
	versions []version
	again    bool // one of them was published so often that they get sheets
}

type version struct {
	release uint64
	entry   int32
	live    bool
}

// maxChunk bounds the versions of a chunk in memory, but for those of its last entry.
const maxChunk = 1 << 20

// fileAll makes the sheets of what was loaded and flushed.
func (ld *loader) fileAll(ctx context.Context) error {
	it, err := ld.s.iterate(ld.w.led.gen)
	if err != nil {
		return err
	}
	beside, err := ld.s.iterate(ld.w.led.gen)
	if err != nil {
		return joinClose(err, it)
	}
	for name, a := range ld.w.led.byName {
		if err = ld.fileCollection(ctx, it, beside, a.number); err != nil {
			err = fmt.Errorf("file the documents of %s: %w", name, err)
			break
		}
	}
	return joinClose(joinClose(err, it), beside)
}

func (ld *loader) fileCollection(ctx context.Context, it, documents *pebble.Iterator, c uint32) error {
	start := ld.w.led.gen.collection(nil, tableEntry, c)
	k := chunk{c: c}
	var last sortKey
	times := 0
	for ok := it.SeekGE(start); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		var at sortKey
		copy(at[:], it.Key()[collectionLen:])
		if times++; len(k.entries) == 0 || at != last {
			if len(k.entries) == ld.s.sheetSize || len(k.versions) >= maxChunk {
				if err := ld.fileChunk(ctx, documents, &k); err != nil {
					return err
				}
			}
			k.entries = append(k.entries, at)
			last, times = at, 1
		}
		k.again = k.again || times == sheetRepublish
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		k.versions = append(k.versions, version{release: releaseIn(it.Key()), entry: int32(len(k.entries) - 1), live: len(value) > 0})
	}
	if err := it.Error(); err != nil {
		return err
	}
	return ld.fileChunk(ctx, documents, &k)
}

// fileChunk lets the releases pass once more over the entries of a chunk, and empties it.
func (ld *loader) fileChunk(ctx context.Context, documents *pebble.Iterator, k *chunk) error {
	defer func() { *k = chunk{c: k.c, entries: k.entries[:0], versions: k.versions[:0]} }()
	if !k.again {
		return nil
	}
	slices.SortFunc(k.versions, func(a, b version) int {
		return cmp.Or(cmp.Compare(a.release, b.release), cmp.Compare(a.entry, b.entry))
	})
	f := sheetFiler{loader: ld, documents: documents, chunk: k, live: make([]uint64, len(k.entries))}
	f.s = sheet{c: k.c, first: k.entries[0], last: k.entries[len(k.entries)-1]}
	if err := f.begin(); err != nil {
		return err
	}
	for rest := k.versions; len(rest) > 0; {
		n := slices.IndexFunc(rest, func(v version) bool { return v.release != rest[0].release })
		if n < 0 {
			n = len(rest)
		}
		if err := f.release(ctx, rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// sheetFiler makes the sheets of one range, one after the other.
type sheetFiler struct {
	*loader
	documents *pebble.Iterator
	chunk     *chunk
	s         sheet
	fill      fill
	live      []uint64 // by entry: the release of its document; 0: none is live
	key, from []byte
}

func (f *sheetFiler) begin() error {
	f.key = f.s.key(f.w.led.gen, f.key)
	return f.run.put(f.key, f.s.last[:], nil)
}

func (f *sheetFiler) release(ctx context.Context, versions []version) error {
	for _, v := range versions {
		f.live[v.entry] = 0
		if v.live {
			f.live[v.entry] = v.release
		}
	}
	if f.fill.room(len(versions)) {
		for _, v := range versions {
			if err := f.copy(ctx, int(v.entry), v.release); err != nil {
				return err
			}
		}
		return nil
	}
	f.s.from, f.fill = versions[0].release, fill{}
	if err := f.begin(); err != nil {
		return err
	}
	for entry, release := range f.live {
		if release == 0 {
			continue
		}
		if err := f.copy(ctx, entry, release); err != nil {
			return err
		}
	}
	f.fill.base = f.fill.rows
	return nil
}

// copy puts one document, or its absence, into the sheet.
func (f *sheetFiler) copy(ctx context.Context, entry int, release uint64) error {
	p := &f.chunk.entries[entry]
	f.from = appendInvertedNumber(f.w.led.gen.place(f.from, tableDocument, f.s.c, p), release)
	if !f.documents.SeekGE(f.from) || !bytes.Equal(f.documents.Key(), f.from) {
		if err := f.documents.Error(); err != nil {
			return err
		}
		return damaged("entry: it has no document")
	}
	doc, err := f.documents.ValueAndErr()
	if err != nil {
		return err
	}
	f.fill.rows++
	f.key = f.s.row(f.w.led.gen, f.key, p, release)
	return f.put(ctx, f.key, doc)
}
