package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"time"

	"svc/edge/store/layout"
	"svc/edge/store/plan"
	"svc/edge/store/snapshot"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/read"
)

func (v *view) Project() *read.Project { return v.meta.project }

func (v *view) Head() content.Release { return v.meta.head }

func (v *view) Collections() []*read.Collection { return v.meta.live }

func (v *view) Collection(key string) (*read.Collection, bool) {
	c := v.meta.places[key]
	if c == nil || c.live == nil {
		return nil, false
	}
	return c.live, true
}

func (v *view) Release(ctx context.Context, n uint64) (content.Release, bool, error) {
	if n > v.meta.head.Number {
		return content.Release{}, false, nil
	}
	if r, ok := v.meta.releases.Get(n); ok {
		return r, true, nil
	}
	it, err := v.r.Iterator(snapshot.Primary)
	if err != nil {
		return content.Release{}, false, fault.Wrap(err, "read a release")
	}
	key := v.meta.gen.LogNumber(nil, layout.TableRelease, n)
	if !it.SeekGE(key) || !bytes.Equal(it.Key(), key) {
		return content.Release{}, false, fault.Wrap(it.Error(), "read a release")
	}
	r, err := layout.ReleaseRow(it)
	if err != nil {
		return content.Release{}, false, fault.Wrap(err, "read a release")
	}
	v.meta.releases.Put(n, r)
	return r, true, nil
}

// ReleaseAt finds the newest release at or before t. It is settled where a later release is known already, since
// times rise with numbers, or where core's heartbeat has passed t.
func (v *view) ReleaseAt(ctx context.Context, t time.Time) (content.Release, bool, error) {
	until := v.s.cfg.Settled(v.meta.log.id)
	// What has been applied since this view was made may be what the heartbeat counts on.
	settled := t.Before(until) && v.meta.log.commits.Load() == v.b.commits
	it, err := v.r.Iterator(snapshot.Primary)
	if err != nil {
		return content.Release{}, false, fault.Wrap(err, "find a release")
	}
	start := v.meta.gen.Start(nil, layout.TableTime)
	after := v.meta.gen.LogNumber(nil, layout.TableTime, uint64(max(t.UnixMilli(), -1)+1))
	if it.SeekGE(after) && bytes.HasPrefix(it.Key(), start) {
		settled = true
	}
	if !it.SeekLT(after) || !bytes.HasPrefix(it.Key(), start) {
		return content.Release{}, settled, fault.Wrap(it.Error(), "find a release")
	}
	value, err := it.ValueAndErr()
	if err != nil {
		return content.Release{}, false, fault.Wrap(err, "find a release")
	}
	return content.Release{
		Number:      binary.BigEndian.Uint64(value),
		PublishedAt: layout.MilliTime(binary.BigEndian.Uint64(it.Key()[layout.PrefixLen:])),
	}, settled, nil
}

// Frame returns the schema and the locales that a read at a pin goes by.
func (v *view) Frame(ctx context.Context, key string, pin uint64) (read.Frame, error) {
	c := v.meta.places[key]
	if pin == 0 {
		f := read.Frame{Locales: v.meta.project.Locales, DefaultLocale: v.meta.project.DefaultLocale}
		if c != nil && c.live != nil {
			f.Schema, f.Version = c.live.Schema, c.live.Version
		}
		return f, nil
	}
	at := snapshot.Pin{Release: pin}
	if c != nil {
		at.Collection = c.number
	}
	if f, known := v.meta.frames.Get(at); known {
		return f, nil
	}
	f, err := v.pinnedFrame(c, pin)
	if err != nil {
		return f, fault.Wrap(err, "read the schema of a release")
	}
	v.meta.frames.Put(at, f)
	return f, nil
}

func (v *view) pinnedFrame(c *collection, pin uint64) (f read.Frame, err error) {
	f.Locales, f.DefaultLocale = v.meta.project.Locales, v.meta.project.DefaultLocale
	it, err := v.r.Iterator(snapshot.Primary)
	if err != nil {
		return f, err
	}
	g := v.meta.gen
	settings, err := layout.SettingsBefore(it, g, g.LogNumber(nil, layout.TableSettings, pin+1))
	if err != nil {
		return f, err
	}
	if settings != nil {
		f.DefaultLocale = settings.DefaultLocale
		if !slices.Equal(f.Locales, settings.Locales) {
			f.Locales = settings.Locales
		}
	}
	if c == nil {
		return f, nil
	}
	if !it.SeekLT(g.CollectionRelease(nil, layout.TableVersion, c.number, pin+1)) || !bytes.HasPrefix(it.Key(), g.Collection(nil, layout.TableVersion, c.number)) {
		return f, it.Error()
	}
	value, err := it.ValueAndErr()
	if err != nil {
		return f, err
	}
	if len(value) != 4 {
		return f, layout.Damaged("schema version")
	}
	version := binary.BigEndian.Uint32(value)
	if version == 0 {
		return f, nil
	}
	f.Schema, err = v.meta.schemas.get(it, c.number, version)
	f.Version = version
	return f, err
}

// Version tells apart what readers can see. What was published stays as it is at a pin.
func (v *view) Version(collection string, pin uint64) uint64 {
	if pin != 0 {
		return v.meta.version
	}
	return max(v.meta.version, v.meta.changed[collection])
}

// List returns rows. It implements read.View.
func (v *view) List(ctx context.Context, q read.ListQuery) (read.Page, error) {
	c := v.meta.places[q.Collection]
	if c == nil {
		return read.Page{}, nil
	}
	m := plan.Moment{Reader: v.r, Head: v.meta.head.Number, Changes: v.meta.changes}
	return v.s.lists.List(ctx, m, &c.listed, &q)
}

// Coded implements read.FieldsCoder.
func (v *view) Coded(dst []byte, c read.Coding, collection string, pin uint64, row *read.Row) ([]byte, error) {
	e, known := content.Bytes(row.Entry)
	revision, stored := content.Bytes(row.Revision)
	if !known || !stored {
		return dst, nil
	}
	dst, err := v.r.Coded(dst, c, v.meta.places[collection].number, e, revision, at(pin))
	return dst, fault.Wrap(err, "read compressed fields")
}
