package load

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
	"svc/edge/store/write"
)

// chunk is a run of neighbouring entries of a load, with all that was ever published of them.
type chunk struct {
	c           uint32
	entries     []layout.SortKey
	versions    []version
	republished bool // one of them was published so often that they get clusters
}

type version struct {
	release uint64
	entry   int32
	live    bool
}

// maxChunk bounds the versions of a chunk in memory, but for those of its last entry.
const maxChunk = 1 << 20

// clusterAll makes the clusters of what was loaded and flushed.
func (l *Load) clusterAll(ctx context.Context) error {
	it, err := l.w.State.Gen.Iterate(l.to.DB)
	if err != nil {
		return err
	}
	beside, err := l.w.State.Gen.Iterate(l.to.DB)
	if err != nil {
		return layout.JoinClose(err, it)
	}
	for name, a := range l.w.State.Collections {
		if err = l.clusterCollection(ctx, it, beside, a.Number); err != nil {
			err = fmt.Errorf("file the documents of %s: %w", name, err)
			break
		}
	}
	return layout.JoinClose(layout.JoinClose(err, it), beside)
}

func (l *Load) clusterCollection(ctx context.Context, it, documents *pebble.Iterator, c uint32) error {
	start := l.w.State.Gen.Collection(nil, layout.TableEntry, c)
	k := chunk{c: c}
	var last layout.SortKey
	times := 0
	for ok := it.SeekGE(start); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		var at layout.SortKey
		copy(at[:], it.Key()[layout.CollectionLen:])
		if times++; len(k.entries) == 0 || at != last {
			if len(k.entries) == l.to.Options.ClusterSize || len(k.versions) >= maxChunk {
				if err := l.clusterChunk(ctx, documents, &k); err != nil {
					return err
				}
			}
			k.entries = append(k.entries, at)
			last, times = at, 1
		}
		k.republished = k.republished || times == write.ClusterRepublish
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		k.versions = append(k.versions, version{release: layout.EntryReleaseIn(it.Key()), entry: int32(len(k.entries) - 1), live: len(value) > 0})
	}
	if err := it.Error(); err != nil {
		return err
	}
	return l.clusterChunk(ctx, documents, &k)
}

// clusterChunk lets the releases pass again over the entries of a chunk, and empties it.
func (l *Load) clusterChunk(ctx context.Context, documents *pebble.Iterator, k *chunk) error {
	defer func() { *k = chunk{c: k.c, entries: k.entries[:0], versions: k.versions[:0]} }()
	if !k.republished {
		return nil
	}
	slices.SortFunc(k.versions, func(a, b version) int {
		return cmp.Or(cmp.Compare(a.release, b.release), cmp.Compare(a.entry, b.entry))
	})
	f := rangeWriter{l: l, documents: documents, chunk: k, live: make([]uint64, len(k.entries))}
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

// rangeWriter makes the clusters of one range, one after the other.
type rangeWriter struct {
	l         *Load
	documents *pebble.Iterator
	chunk     *chunk
	s         layout.Cluster
	fill      write.ClusterFill
	live      []uint64 // by entry: the release of its document; 0: none is live
	key, from []byte
}

func (f *rangeWriter) begin() error {
	f.key = f.s.Key(f.l.w.State.Gen, f.key)
	return f.l.run.Put(f.key, f.s.Last[:], nil)
}

func (f *rangeWriter) release(ctx context.Context, versions []version) error {
	for _, v := range versions {
		f.live[v.entry] = 0
		if v.live {
			f.live[v.entry] = v.release
		}
	}
	if f.fill.Room(len(versions)) {
		for _, v := range versions {
			if err := f.copy(ctx, int(v.entry), v.release); err != nil {
				return err
			}
		}
		return nil
	}
	f.s.From, f.fill = versions[0].release, write.ClusterFill{}
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
	f.fill.Base = f.fill.Rows
	return nil
}

// copy puts one document, or its absence, into the cluster.
func (f *rangeWriter) copy(ctx context.Context, entry int, release uint64) error {
	p := &f.chunk.entries[entry]
	f.from = f.l.w.State.Gen.SortKeyAt(f.from, layout.TableDocument, f.s.Collection, p, release)
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
	f.fill.Rows++
	f.key = f.s.Row(f.l.w.State.Gen, f.key, p, release)
	if err := f.l.run.Put(f.key, doc, nil); err != nil {
		return err
	}
	return f.l.flushMuch(ctx)
}
