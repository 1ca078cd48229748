package store

import (
	"bytes"
	"context"

	"github.com/cockroachdb/pebble/v2"
	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
)

// verifier adds up the state of a project from what is stored.
type verifier struct {
	src pebble.Reader
	gen generation
	sum record.StateSum
}

// run reads the whole generation but for the documents.
func (v *verifier) run(ctx context.Context) (record.StateSum, error) {
	lower, upper := v.gen.span()
	opts := &pebble.IterOptions{LowerBound: lower, UpperBound: upper}
	it, err := v.src.NewIter(opts)
	if err != nil {
		return v.sum, err
	}
	err = v.project(ctx, it)
	return v.sum, joinClose(err, it)
}

func (v *verifier) project(ctx context.Context, it *pebble.Iterator) error {
	settings, err := lastSettings(it, v.gen)
	if err != nil {
		return err
	}
	if settings != nil {
		v.sum = v.sum.Add(record.ProjectRow(settings))
	}
	start := v.gen.start(nil, tableRelease)
	for ok := it.SeekGE(start); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		r, err := releaseRow(it)
		if err != nil {
			return err
		}
		v.sum = v.sum.Add(record.ReleaseRow(r.Number, r.PublishedAt.UnixMilli()))
	}
	storedCollections, err := readCollectionStates(it, v.gen)
	if err != nil {
		return err
	}
	for number, stored := range storedCollections {
		if stored.version != 0 {
			v.sum = v.sum.Add(record.SchemaRow(stored.name, stored.version, stored.hash, stored.label))
		}
		if err := v.ranks(it, number, stored.name); err != nil {
			return err
		}
		if err := v.entries(ctx, it, number, stored.name); err != nil {
			return err
		}
	}
	return it.Error()
}

func (v *verifier) ranks(it *pebble.Iterator, c uint32, name string) error {
	start := v.gen.collection(nil, tableRank, c)
	for ok := it.SeekGE(start); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		rank, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		entry := entryIn(it.Key()[collectionLen:]).text()
		v.sum = v.sum.Add(record.RankRow(name, string(entry), string(rank)))
	}
	return it.Error()
}

// entries visits the newest row of every entry, which comes first.
func (v *verifier) entries(ctx context.Context, it *pebble.Iterator, c uint32, name string) error {
	start := v.gen.collection(nil, tableEntry, c)
	var key []byte
	ok := it.SeekGE(start)
	for n := 0; ok && bytes.HasPrefix(it.Key(), start); n++ {
		if n&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e := entryIn(it.Key()[collectionLen:])
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		now, err := readState(value)
		if err != nil {
			return err
		}
		if now.live {
			v.live(name, e, now)
		}
		if ok = it.Next(); ok && len(it.Key()) == entryRowLen && entryIn(it.Key()[collectionLen:]) == e {
			key = successor(v.gen.entryAt(key, tableEntry, c, e, 0))
			ok = it.SeekGE(key)
		}
	}
	return it.Error()
}

func (v *verifier) live(name string, e entryID, now state) {
	revision := content.FromBytes[content.RevisionID](now.revision)
	v.sum = v.sum.Add(record.EntryRow(name, string(e.text()), string(revision), now.slug))
}

// Rescan adds up the state of a log anew from what is stored, as of one moment.
func (s *Store) Rescan(ctx context.Context, id string) (record.StateSum, error) {
	if err := s.enter(); err != nil {
		return record.StateSum{}, err
	}
	defer s.exit()
	snap := s.db.NewSnapshot()
	sum, err := rescan(ctx, snap, id)
	return sum, joinClose(err, snap)
}

func rescan(ctx context.Context, snap *pebble.Snapshot, id string) (sum record.StateSum, err error) {
	value, err := get(snap, global.text(nil, tableLog, id))
	if err != nil || value == nil {
		return sum, err
	}
	row, err := readLogRow(value)
	if err != nil {
		return sum, err
	}
	if content.IsID[content.ProjectID](id) {
		return (&verifier{src: snap, gen: row.gen}).run(ctx)
	}
	return sumOrganization(snap, row.gen)
}

func sumOrganization(src pebble.Reader, g generation) (sum record.StateSum, err error) {
	lower, upper := g.span()
	it, err := src.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return sum, err
	}
	led := newLogState(g)
	if err := led.loadOrganization(it); err != nil {
		return sum, joinClose(err, it)
	}
	if led.organization != nil {
		sum = sum.Add(record.OrganizationRow(led.organization))
	}
	err = eachKey(it, g, func(_ string, value []byte) error {
		var key recordpb.Key
		if err := proto.Unmarshal(value, &key); err != nil {
			return err
		}
		sum = sum.Add(record.KeyRow(&key))
		return nil
	})
	return sum, joinClose(err, it)
}
