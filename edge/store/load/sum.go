package load

import (
	"bytes"
	"context"

	"github.com/cockroachdb/pebble/v2"
	"google.golang.org/protobuf/proto"

	"svc/edge/store/layout"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
)

// verifier adds up the state of a project from what is stored.
type verifier struct {
	src pebble.Reader
	gen layout.Generation
	sum record.StateSum
}

// run reads the whole generation but for the documents.
func (v *verifier) run(ctx context.Context) (record.StateSum, error) {
	it, err := v.gen.Iterate(v.src)
	if err != nil {
		return v.sum, err
	}
	err = v.project(ctx, it)
	return v.sum, layout.JoinClose(err, it)
}

func (v *verifier) project(ctx context.Context, it *pebble.Iterator) error {
	settings, err := layout.LastSettings(it, v.gen)
	if err != nil {
		return err
	}
	if settings != nil {
		v.sum = v.sum.Add(record.ProjectRow(settings))
	}
	start := v.gen.Start(nil, layout.TableRelease)
	for ok := it.SeekGE(start); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		r, err := layout.ReleaseRow(it)
		if err != nil {
			return err
		}
		v.sum = v.sum.Add(record.ReleaseRow(r.Number, r.PublishedAt.UnixMilli()))
	}
	storedCollections, err := layout.ReadCollectionStates(it, v.gen)
	if err != nil {
		return err
	}
	for number, stored := range storedCollections {
		if stored.Version != 0 {
			v.sum = v.sum.Add(record.SchemaRow(stored.Name, stored.Version, stored.Hash, stored.Label))
		}
		if err := v.ranks(it, number, stored.Name); err != nil {
			return err
		}
		if err := v.entries(ctx, it, number, stored.Name); err != nil {
			return err
		}
	}
	return it.Error()
}

func (v *verifier) ranks(it *pebble.Iterator, c uint32, name string) error {
	start := v.gen.Collection(nil, layout.TableRank, c)
	for ok := it.SeekGE(start); ok && bytes.HasPrefix(it.Key(), start); ok = it.Next() {
		rank, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		entry := layout.EntryIn(it.Key()[layout.CollectionLen:]).Text()
		v.sum = v.sum.Add(record.RankRow(name, string(entry), string(rank)))
	}
	return it.Error()
}

// entries visits the newest row of every entry, which comes first.
func (v *verifier) entries(ctx context.Context, it *pebble.Iterator, c uint32, name string) error {
	start := v.gen.Collection(nil, layout.TableEntry, c)
	var key []byte
	ok := it.SeekGE(start)
	for n := 0; ok && bytes.HasPrefix(it.Key(), start); n++ {
		if n&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e := layout.EntryIn(it.Key()[layout.CollectionLen:])
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		now, err := layout.ReadEntryState(value)
		if err != nil {
			return err
		}
		if now.Live {
			v.live(name, e, now)
		}
		if ok = it.Next(); ok && len(it.Key()) == layout.EntryRowLen && layout.EntryIn(it.Key()[layout.CollectionLen:]) == e {
			key = layout.Successor(v.gen.EntryAt(key, layout.TableEntry, c, e, 0))
			ok = it.SeekGE(key)
		}
	}
	return it.Error()
}

func (v *verifier) live(name string, e layout.EntryID, now layout.EntryState) {
	revision := content.FromBytes[content.RevisionID](now.Revision)
	v.sum = v.sum.Add(record.EntryRow(name, string(e.Text()), string(revision), now.Slug))
}

// Sum adds up the state of a log from what is stored in a generation.
func Sum(ctx context.Context, src pebble.Reader, g layout.Generation, log string) (record.StateSum, error) {
	if content.IsID[content.ProjectID](log) {
		return (&verifier{src: src, gen: g}).run(ctx)
	}
	return sumOrganization(src, g)
}

func sumOrganization(src pebble.Reader, g layout.Generation) (sum record.StateSum, err error) {
	it, err := g.Iterate(src)
	if err != nil {
		return sum, err
	}
	organization, err := layout.OrganizationOf(it, g)
	if err != nil {
		return sum, layout.JoinClose(err, it)
	}
	if organization != nil {
		sum = sum.Add(record.OrganizationRow(organization))
	}
	err = layout.EachKey(it, g, func(_ string, value []byte) error {
		var key recordpb.Key
		if err := proto.Unmarshal(value, &key); err != nil {
			return err
		}
		sum = sum.Add(record.KeyRow(&key))
		return nil
	})
	return sum, layout.JoinClose(err, it)
}
