package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
)

// chunk is a run of neighbouring entries of a load, with all that was ever published of them.
type chunk struct {
	c        uint32
	entries  []layout.SortKey
	versions []version
	again    bool // one of them was published so often that they get clusters
}

type version struct {
	release uint64
	entry   int32
	live    bool
}

// maxChunk bounds the versions of a chunk in memory, but for those of its last entry.
const maxChunk = 1 << 20

// fileAll makes the clusters of what was loaded and flushed.
func (ld *loader) fileAll(ctx context.Context) error {
	it, err := ld.w.led.Gen.Iterate(ld.s.db)
	if err != nil {
		return err
	}
	beside, err := ld.w.led.Gen.Iterate(ld.s.db)
	if err != nil {
		return layout.JoinClose(err, it)
	}
	for name, a := range ld.w.led.byName {
		if err = ld.fileCollection(ctx, it, beside, a.number); err != nil {
			err = fmt.Errorf("file the documents of %s: %w", name, err)
			break
		}
	}
	return layout.JoinClose(layout.JoinClose(err, it), beside)
}

func (ld *loader) fileCollection(ctx context.Context, it, documents *pebble.Iterator, c uint32) error {
	start := ld.w.led.Gen.Collection(nil, layout.TableEntry, c)
	k := chunk{c: c}
	var last layout.SortKey
	times := 0
	for ok := it.SeekGE(start); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		var at layout.SortKey
		copy(at[:], it.Key()[layout.CollectionLen:])
		if times++; len(k.entries) == 0 || at != last {
			if len(k.entries) == ld.s.tune.clusterSize || len(k.versions) >= maxChunk {
				if err := ld.fileChunk(ctx, documents, &k); err != nil {
					return err
				}
			}
			k.entries = append(k.entries, at)
			last, times = at, 1
		}
		k.again = k.again || times == clusterRepublish
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		k.versions = append(k.versions, version{release: layout.EntryReleaseIn(it.Key()), entry: int32(len(k.entries) - 1), live: len(value) > 0})
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
	f := clusterFiler{loader: ld, documents: documents, chunk: k, live: make([]uint64, len(k.entries))}
	f.s = layout.Cluster{Collection: k.c, First: k.entries[0], Last: k.entries[len(k.entries)-1]}
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

// clusterFiler makes the clusters of one range, one after the other.
type clusterFiler struct {
	*loader
	documents *pebble.Iterator
	chunk     *chunk
	s         layout.Cluster
	fill      fill
	live      []uint64 // by entry: the release of its document; 0: none is live
	key, from []byte
}

func (f *clusterFiler) begin() error {
	f.key = f.s.Key(f.w.led.Gen, f.key)
	return f.run.Put(f.key, f.s.Last[:], nil)
}

func (f *clusterFiler) release(ctx context.Context, versions []version) error {
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
	f.s.From, f.fill = versions[0].release, fill{}
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

// copy puts one document, or its absence, into the cluster.
func (f *clusterFiler) copy(ctx context.Context, entry int, release uint64) error {
	p := &f.chunk.entries[entry]
	f.from = f.w.led.Gen.SortKeyAt(f.from, layout.TableDocument, f.s.Collection, p, release)
	if !f.documents.SeekGE(f.from) || !bytes.Equal(f.documents.Key(), f.from) {
		if err := f.documents.Error(); err != nil {
			return err
		}
		return layout.Damaged("entry: it has no document")
	}
	doc, err := f.documents.ValueAndErr()
	if err != nil {
		return err
	}
	f.fill.rows++
	f.key = f.s.Row(f.w.led.Gen, f.key, p, release)
	return f.put(ctx, f.key, doc)
}
